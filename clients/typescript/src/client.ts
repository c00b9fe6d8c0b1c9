/** The client. */

import { Batches } from "./batches.ts";
import { Conversion, Jobs } from "./jobs.ts";
import { Events, Fonts, Templates, Tools, Uploads, Webhooks } from "./resources.ts";
import { toolFor } from "./sources.ts";
import { type Query, type RawResponse, type Settings, Transport } from "./transport.ts";
import type { AnyTool, JobSettings, OptionsOf, Schemas, Source, Usage } from "./types.ts";

/** The tools that `convert` chooses from. */
type Converting = "office-to-pdf" | "html-to-pdf" | "markdown-to-pdf" | "email-to-pdf" | "images-to-pdf";

/** Talks to Docmill. For servers only: a key must never be in a browser. */
export class Docmill {
  readonly #transport: Transport;
  readonly jobs: Jobs;
  readonly batches: Batches;
  readonly tools: Tools;
  readonly uploads: Uploads;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly templates: Templates;
  readonly fonts: Fonts;

  constructor(settings: Settings = {}) {
    this.#transport = new Transport(settings);
    this.jobs = new Jobs(this.#transport);
    this.batches = new Batches(this.#transport);
    this.tools = new Tools(this.#transport);
    this.uploads = new Uploads(this.#transport);
    this.events = new Events(this.#transport);
    this.webhooks = new Webhooks(this.#transport);
    this.templates = new Templates(this.#transport);
    this.fonts = new Fonts(this.#transport);
  }

  /**
   * A PDF of a document: a path, a URL, or a source such as `{ html: "<h1>Hello</h1>" }`. The tool follows from the extension; `run` takes any
   * other tool. Nothing is sent yet: go on with `step`, `save`, `wait` or `start`.
   */
  convert(source: Source, options?: OptionsOf<Converting>, settings: JobSettings = {}): Conversion {
    return this.#conversion(toolFor(source), source, options, settings);
  }

  /** A job of any tool, with one source or a list of them. */
  run<Slug extends AnyTool>(tool: Slug, source: Source | Source[], options?: OptionsOf<Slug>, settings: JobSettings = {}): Conversion {
    return this.#conversion(tool, source, options, settings);
  }

  #conversion(tool: string, source: Source | Source[], options: object | undefined, settings: JobSettings): Conversion {
    return new Conversion(this.#transport, { tool, source, options, steps: [], settings });
  }

  /** Credits and jobs of this month. */
  async usage(): Promise<Usage> {
    const response = await this.#transport.send({ method: "GET", path: "/v1/account/usage" });
    return response.json<Schemas["UsageResponse"]>().usage as Usage;
  }

  /**
   * Any request to the API, with your key and the usual retries, and its raw response. Without an `idempotency-key` header, a POST is only
   * repeated after 429 and 503.
   */
  async request(
    method: string,
    path: string,
    { body, query, headers = {} }: { body?: unknown; query?: Query; headers?: Record<string, string> } = {},
  ): Promise<RawResponse> {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const repeatable = method.toUpperCase() !== "POST" || "idempotency-key" in given;
    return this.#transport.send({ method: method.toUpperCase(), path, body, query, headers: given, repeatable });
  }
}
