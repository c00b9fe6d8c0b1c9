/** The API's objects, with its names, and what callers give. */

import type { components } from "./schema.ts";

export type Schemas = components["schemas"];
export type JobData = Schemas["Job"];
export type Download = Schemas["Download"];
export type Upload = Schemas["Upload"];
export type Tool = Schemas["Tool"];
export type ToolSchema = Schemas["ToolSchema"];
export type Usage = Schemas["Usage"];
export type Event = Schemas["Event"];
export type ListedEvent = Schemas["ListedEvent"];
export type Font = Schemas["Font"];
export type Template = Schemas["Template"];
export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["Delivery"];
export type WebhookTest = Schemas["WebhookTest"];
export type Step = Schemas["FurtherSteps"][number];
export type JobOutput = Schemas["JobOutput"];
export type ErrorDetail = NonNullable<Schemas["Error"]["details"]>[number];

type Pascal<Slug extends string> = Slug extends `${infer Word}-${infer Rest}`
  ? `${Capitalize<Word>}${Pascal<Rest>}`
  : Capitalize<Slug>;
type Kebab<Name extends string, Start extends boolean = true> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `${Start extends true ? "" : "-"}${Lowercase<First>}`}${Kebab<Rest, false>}`
  : "";
type JobSchema = Extract<keyof Schemas, `${string}Job`>;

/** The tools that this version knows. */
export type ToolSlug = { [Name in JobSchema]: Name extends `${infer Tool}Job` ? (Tool extends "" ? never : Kebab<Tool>) : never }[JobSchema];

/** Also a tool that this version does not know. */
export type AnyTool = ToolSlug | (string & {});

/** A tool's options. Those of a tool that this version does not know can be anything. */
export type OptionsOf<Slug extends string> = `${Pascal<Slug>}Job` extends keyof Schemas
  ? Schemas[`${Pascal<Slug>}Job`] extends { options?: infer Options }
    ? Partial<NonNullable<Options>>
    : Record<string, unknown>
  : Record<string, unknown>;

/** A source as the API takes it, with exactly one of the first group. */
export interface SourceObject {
  sourceUrl?: string;
  url?: string;
  uploadId?: string;
  jobId?: string;
  html?: string;
  markdown?: string;

  /** Which result of `jobId`. */
  output?: number;
  filename?: string;
  password?: string;
  pageRange?: string;
  title?: string;
  headers?: Record<string, string>;
}

/** A file that is in memory, with the name that tells what it is. */
export interface FileContent {
  content: Uint8Array | Blob;
  name: string;
}

/** A file on the disk, with what the service needs to know of it. */
export interface FilePath {
  path: string;
  filename?: string;
  password?: string;
  pageRange?: string;
  title?: string;
}

/**
 * A path, a URL, bytes, a `Blob`, a `File`, or a source as the API takes it, such as `{ html: "<h1>Hello</h1>" }` or `{ jobId: job.id }`. An object
 * with a path has what else its file needs: `{ path: "locked.pdf", password: "…" }`.
 */
export type Source = string | URL | Uint8Array | Blob | FileContent | FilePath | SourceObject;

export interface JobSettings {
  /** How the result is named, kept and delivered. */
  output?: JobOutput;
  /** Labels of your own. */
  metadata?: Record<string, string>;
  /** Where this job's events are sent. */
  webhook?: { url: string; secret?: string };
  /** Names this job for 24 hours, so that asking again returns it. A random one by default. */
  idempotencyKey?: string;
}
