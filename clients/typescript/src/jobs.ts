/** Jobs: how they are made, waited for and saved. */

import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { JobCanceledError, JobFailedError, WaitTimeoutError } from "./errors.ts";
import { download, downloadBytes, upload } from "./files.ts";
import { checkName, checkTarget, isFolder, pathsIn, tellWarnings } from "./results.ts";
import { asObject, besidePath, localFile } from "./sources.ts";
import { LONGEST_WAIT, type RawResponse, type Transport } from "./transport.ts";
import type { AnyTool, Download, JobData, JobSettings, OptionsOf, Schemas, Source, SourceObject, Step } from "./types.ts";

/** How long a job may take by default. */
const JOB_SECONDS = 180;
// Pauses between requests for a job, where the API does not hold them, in seconds.
export const FIRST_POLL = 1;
export const LONGEST_POLL = 10;
export const POLL_GROWTH = 1.5;
const ENDED = new Set(["completed", "failed", "canceled", "expired", "deleted"]);

/** A saved result. `job` is how it was made. */
export interface Saved {
  path: string;
  bytes: number;
  sha256: string;
  job: JobData;
  /** Each file, if they are in a folder. `path` is the folder then, and `sha256` is empty. */
  files?: string[];
}

/** How the result of a job is saved. */
export interface SaveSettings {
  /** For how long to wait for the job. 180 by default. */
  seconds?: number;
  /** Which one of several files. */
  output?: number;
  /** Whether files that exist are replaced. */
  overwrite?: boolean;
}

/** The tools of `convert`: each makes a PDF. */
const MAKE_PDF = new Set(["office-to-pdf", "html-to-pdf", "markdown-to-pdf", "email-to-pdf", "images-to-pdf"]);

/** What a conversion consists of. */
interface Plan {
  tool: string;
  source: Source | Source[];
  options: object | undefined;
  steps: Step[];
  settings: JobSettings;
}

/** A job to be: add steps with `step`, and `save` its result, `wait` for it or `start` it. Until then nothing is sent. */
export class Conversion {
  readonly #transport: Transport;
  readonly #plan: Plan;

  constructor(transport: Transport, plan: Plan) {
    this.#transport = transport;
    this.#plan = plan;
  }

  /** Adds a step, which takes the result of the step before. A job has up to five. */
  step<Slug extends AnyTool>(tool: Slug, options?: OptionsOf<Slug>): Conversion {
    const step = { toolSlug: tool, ...(options ? { options } : {}) } as Step;
    return new Conversion(this.#transport, { ...this.#plan, steps: [...this.#plan.steps, step] });
  }

  /** Creates the job, and returns at once. */
  async start(): Promise<Job> {
    return this.#create(0);
  }

  /** Creates the job, and returns it once it has completed. Throws `JobFailedError`, `JobCanceledError` or `WaitTimeoutError`. */
  async wait(seconds: number = JOB_SECONDS): Promise<Job> {
    const deadline = Date.now() + seconds * 1000;
    const job = await this.#create(seconds);
    return job.waitUntil(deadline, seconds);
  }

  /**
   * Creates the job, waits until it has completed, and saves its result as a file, or its files in a folder ("pages/"). A file that exists is only
   * replaced if you allow it with `overwrite`: this is checked before the job is created. Throws `UsageError` if it exists, or if its name says
   * another format than the result has.
   */
  async save(path: string, { seconds = JOB_SECONDS, overwrite = false }: { seconds?: number; overwrite?: boolean } = {}): Promise<Saved> {
    const { tool, steps } = this.#plan;
    if (!isFolder(path)) {
      checkTarget(path, overwrite);
      if (!steps.length && MAKE_PDF.has(tool)) checkName(path, "result.pdf");
    }
    const job = await this.wait(seconds);
    return job.save(path, { overwrite });
  }

  /** Creates the job, waits until it has completed, and returns its result in memory. Several files are a ZIP. */
  async bytes({ seconds = JOB_SECONDS }: { seconds?: number } = {}): Promise<Uint8Array> {
    const job = await this.wait(seconds);
    return job.bytes();
  }

  async #create(seconds: number): Promise<Job> {
    const body = await this.#body();
    const headers = creating(this.#plan.settings.idempotencyKey);
    return new Job(this.#transport, await this.#transport.send({ method: "POST", path: "/v1/jobs", body, headers, wait: waitOf(seconds) }));
  }

  async #body(): Promise<object> {
    const { tool, source, options = {}, steps, settings } = this.#plan;
    const { output, metadata, webhook } = settings;
    const input = Array.isArray(source) ? { sources: await this.#sources(source) } : await available(this.#transport, source, tool);
    return { toolSlug: tool, input, options, output, metadata, webhook, ...(steps.length && { then: steps }) };
  }

  async #sources(sources: Source[]): Promise<SourceObject[]> {
    const found = [];
    for (const source of sources) found.push(await available(this.#transport, source, this.#plan.tool));
    return found;
  }
}

/** A source that the service can get. Files are uploaded. */
export async function available(transport: Transport, source: Source, tool: string): Promise<SourceObject> {
  const file = localFile(source);
  if (file === undefined) return asObject(source, tool);
  const uploadId = typeof file === "string" ? await upload(transport, file) : await upload(transport, file.content, file.name || undefined);
  return { uploadId, ...besidePath(source) };
}

interface JobAnswer {
  job: JobData;
  download?: Download;
}

/** A job, as the API last told it. */
export class Job {
  readonly #transport: Transport;
  #link: Download | undefined;
  #isHeld = false;
  data!: JobData;
  /** Of the response that told `data`. */
  requestId = "";

  constructor(transport: Transport, told: RawResponse | { data: JobData; requestId: string }) {
    this.#transport = transport;
    if ("data" in told) Object.assign(this, told);
    else this.#take(told);
  }

  #take(response: RawResponse): void {
    const { job, download: link } = response.json<JobAnswer>();
    this.data = job;
    this.requestId = response.requestId;
    this.#link = link;
    this.#isHeld = response.headers.has("preference-applied");
  }

  get id(): string {
    return this.data.id;
  }

  /** `queued`, `processing`, `completed`, `failed`, `canceled`, `expired`, `deleted`, or one that was added later. */
  get status(): string {
    return this.data.status;
  }

  get hasEnded(): boolean {
    return ENDED.has(this.status);
  }

  /** Asks for the job again. */
  async refresh(): Promise<this> {
    this.#take(await this.#transport.send({ method: "GET", path: this.#path() }));
    return this;
  }

  /** Returns once the job has completed. Throws `JobFailedError`, `JobCanceledError` or `WaitTimeoutError`. */
  async wait(seconds: number = JOB_SECONDS): Promise<this> {
    return this.waitUntil(Date.now() + seconds * 1000, seconds);
  }

  /** @internal */
  async waitUntil(deadline: number, seconds: number): Promise<this> {
    for (let pause = FIRST_POLL; !this.hasEnded; ) {
      const left = (deadline - Date.now()) / 1000;
      if (left <= 0) throw new WaitTimeoutError(this.id, seconds);
      this.#take(await this.#transport.send({ method: "GET", path: this.#path(), wait: waitOf(left) }));
      if (!this.hasEnded && !this.#isHeld) {
        await sleep(Math.max(0, Math.min(pause * 1000, deadline - Date.now())));
        pause = Math.min(pause * POLL_GROWTH, LONGEST_POLL);
      }
    }
    if (this.status === "failed") throw new JobFailedError(this.data, this.requestId);
    if (this.status === "canceled") throw new JobCanceledError(this.data, this.requestId);
    return this;
  }

  /**
   * Waits until the job has completed, and saves its result as a file, or the one with the number `output` of several. With a folder ("pages/"),
   * each file of the result is saved there by its own name. Files that exist are only replaced if you allow it with `overwrite`. Throws
   * `UsageError` if one exists, or if the name says another format than the result has.
   */
  async save(path: string, { seconds = JOB_SECONDS, output, overwrite = false }: SaveSettings = {}): Promise<Saved> {
    if (!isFolder(path)) checkTarget(path, overwrite);
    await this.wait(seconds);
    if (output === undefined && isFolder(path)) return this.#saveAll(path, overwrite);
    const link = await this.#result(output);
    const [target = path] = isFolder(path) ? pathsIn(path, [link.filename]) : [];
    if (target !== path) checkTarget(target, overwrite);
    checkName(target, link.filename);
    await download(this.#transport, link, target, () => this.link(output), overwrite);
    tellWarnings(this.data);
    return { path: target, bytes: link.bytes, sha256: link.sha256, job: this.data };
  }

  async #saveAll(folder: string, overwrite: boolean): Promise<Saved> {
    const links = await this.links();
    await mkdir(folder, { recursive: true });
    const files = pathsIn(
      folder,
      links.map(({ filename }) => filename),
    );
    for (const file of files) checkTarget(file, overwrite);
    for (const [index, link] of links.entries()) {
      const renew = () => this.link(links.length > 1 ? index : undefined);
      await download(this.#transport, link, files[index] as string, renew, overwrite);
    }
    tellWarnings(this.data);
    return { path: folder, bytes: links.reduce((sum, { bytes }) => sum + bytes, 0), sha256: "", job: this.data, files };
  }

  /** Waits until the job has completed, and returns its result in memory, or the file with the number `output` of several. */
  async bytes({ seconds = JOB_SECONDS, output }: { seconds?: number; output?: number } = {}): Promise<Uint8Array> {
    await this.wait(seconds);
    const content = await downloadBytes(this.#transport, await this.#result(output), () => this.link(output));
    tellWarnings(this.data);
    return content;
  }

  async #result(output: number | undefined): Promise<Download> {
    return (output === undefined && this.#link) || this.link(output);
  }

  /** A signed link to the result, which works for ten minutes, without a key. Keep it secret. */
  async link(output?: number): Promise<Download> {
    const response = await this.#transport.send({ method: "GET", path: `${this.#path()}/download`, query: { output } });
    const { download: link } = response.json<JobAnswer>();
    if (!link) throw new WaitTimeoutError(this.id, 0);
    return link;
  }

  /** A signed link to each file of the result. */
  async links(): Promise<Download[]> {
    const response = await this.#transport.send({ method: "GET", path: `${this.#path()}/download` });
    const { download: link, downloads } = response.json<Schemas["DownloadResponse"]>();
    return downloads ?? [link];
  }

  /** Ends the job and refunds it. Throws `ConflictError` if it has ended. */
  async cancel(): Promise<this> {
    this.#take(await this.#transport.send({ method: "POST", path: `${this.#path()}/cancel` }));
    return this;
  }

  /** The signed receipt of the job once it has ended, for `docmill verify-receipt`. */
  async receipt(): Promise<Schemas["Receipt"]> {
    const response = await this.#transport.send({ method: "GET", path: `${this.#path()}/receipt` });
    return response.json<Schemas["ReceiptResponse"]>().receipt;
  }

  /** Deletes the result and everything that describes the document, now. */
  async delete(): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: this.#path() });
  }

  #path(): string {
    return `/v1/jobs/${encodeURIComponent(this.id)}`;
  }
}

/** Which jobs to list. Times are RFC 3339. */
export interface JobFilter {
  status?: string;
  toolSlug?: string;
  createdAfter?: string;
  createdBefore?: string;
  metadata?: Record<string, string>;
  pageSize?: number;
}

/** The jobs of your account. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get(id: string): Promise<Job> {
    return new Job(this.#transport, await this.#transport.send({ method: "GET", path: `/v1/jobs/${encodeURIComponent(id)}` }));
  }

  /** All jobs that match, newest first. Asks for the next page when it is needed. */
  async *list({ metadata = {}, pageSize, ...filter }: JobFilter = {}): AsyncGenerator<Job, void, undefined> {
    const labels = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata.${name}`, value]));
    let cursor: string | undefined;
    do {
      const query = { ...filter, ...labels, limit: pageSize, cursor };
      const response = await this.#transport.send({ method: "GET", path: "/v1/jobs", query });
      const page = response.json<Schemas["JobsResponse"]>();
      for (const data of page.jobs) yield new Job(this.#transport, { data, requestId: response.requestId });
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
}

/** Headers of whatever is charged: a misspelled option is an error, not ignored. */
export function creating(idempotencyKey: string | undefined): Record<string, string> {
  return { "idempotency-key": idempotencyKey ?? randomUUID(), "docmill-strict": "true" };
}

/** Seconds for which the API is asked to hold a request. */
function waitOf(seconds: number): number {
  return Math.max(0, Math.min(LONGEST_WAIT, Math.floor(seconds)));
}
