/** Batches: many jobs of one tool, made by one request. */

import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError, WaitTimeoutError } from "./errors.ts";
import { download, upload } from "./files.ts";
import { available, creating, FIRST_POLL, LONGEST_POLL, POLL_GROWTH } from "./jobs.ts";
import { checkTarget, isFolder, pathsIn } from "./results.ts";
import type { Query, Transport } from "./transport.ts";
import type { AnyTool, Download, OptionsOf, Schemas, Source, SourceObject } from "./types.ts";

type BatchData = Schemas["Batch"];
type ArchiveFile = Schemas["ArchiveFile"];

/** How long a batch may take by default, in seconds. */
const BATCH_SECONDS = 3600;
// What one request takes; the rest of it needs room, too.
const MOST_ITEMS = 1000;
const MOST_ITEM_BYTES = 900_000;
// A paused one waits for somebody to resume it.
const AT_REST = new Set(["completed", "canceled", "paused"]);

/** What differs from job to job. */
export interface BatchItem {
  /** A path, a URL, or another source. */
  input: Source;
  /** Count more than those of the batch. */
  options?: Record<string, unknown>;
  metadata?: Record<string, string>;
  /** The name of the result. */
  filename?: string;
}

export interface BatchSettings {
  /** Further tools for all jobs, each with its options. */
  then?: { tool: AnyTool; options?: Record<string, unknown> }[];
  /** Whether a ZIP of all results is made. */
  archive?: boolean;
  /** Whether the batch is canceled as soon as an item fails. */
  stopOnError?: boolean;
  /** Where the events of the batch are sent. */
  webhook?: { url: string; secret?: string };
  /** Names this batch, so that asking again returns it. A random one by default. */
  idempotencyKey?: string;
}

/** A batch, as the API last told it. */
export class Batch {
  readonly #transport: Transport;
  data: BatchData;

  constructor(transport: Transport, data: BatchData) {
    this.#transport = transport;
    this.data = data;
  }

  get id(): string {
    return this.data.id;
  }

  /** `processing`, `paused`, `canceling`, `archiving`, `completed`, `canceled`, `deleting`, or one that was added later. */
  get status(): string {
    return this.data.status;
  }

  /** How many items there are in each state. A batch is `completed` when all have ended, also if some have failed. */
  get counts(): BatchData["counts"] {
    return this.data.counts;
  }

  /** Asks for the batch again. */
  async refresh(): Promise<this> {
    return this.#ask("GET", "");
  }

  /**
   * Returns once the batch has completed, was canceled, or is paused: see its `status` and `counts`. `progress` is called with the batch whenever
   * something has changed. Throws `WaitTimeoutError`.
   */
  async wait({ seconds = BATCH_SECONDS, progress }: { seconds?: number; progress?: (batch: Batch) => void } = {}): Promise<this> {
    const deadline = Date.now() + seconds * 1000;
    for (let pause = FIRST_POLL; ; pause = Math.min(pause * POLL_GROWTH, LONGEST_POLL)) {
      const before = JSON.stringify(this.data);
      await this.refresh();
      if (JSON.stringify(this.data) !== before) progress?.(this);
      if (AT_REST.has(this.status)) return this;
      const left = deadline - Date.now();
      if (left <= 0) throw new WaitTimeoutError(this.id, seconds, "batch");
      await sleep(Math.min(pause * 1000, left));
    }
  }

  /** What became of each item, in their order: a link to its result, or why there is none. */
  async *results({ pageSize }: { pageSize?: number } = {}): AsyncGenerator<Schemas["BatchResult"], void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#page({ limit: pageSize, cursor });
      yield* page.results;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /**
   * Saves the ZIP of all results, of a batch that was created with `archive` and has completed, and returns its path. In a folder ("results/"), each
   * ZIP is saved by its own name: large batches have several. Throws `UsageError` if there is none, if there are several for one path, or if a file
   * exists.
   */
  async saveArchive(path: string, { overwrite = false }: { overwrite?: boolean } = {}): Promise<string[]> {
    if (!isFolder(path)) checkTarget(path, overwrite);
    const files = await this.#archive();
    let paths = [path];
    if (isFolder(path)) {
      await mkdir(path, { recursive: true });
      paths = pathsIn(
        path,
        files.map(({ filename }) => filename),
      );
    } else if (files.length > 1) {
      throw new UsageError(`${path} can't hold ${files.length} archives: give a folder, such as "results/".`);
    }
    for (const target of paths) checkTarget(target, overwrite);
    for (const [index, file] of files.entries()) {
      const renew = async () => asDownload((await this.#archive())[index] ?? file);
      await download(this.#transport, asDownload(file), paths[index] as string, renew, overwrite);
    }
    return paths;
  }

  async #archive(): Promise<ArchiveFile[]> {
    const { archive } = await this.#page({ limit: 1 });
    if (!archive?.files.length) {
      throw new UsageError(`The batch ${this.id} has no archive: create it with { archive: true }, and wait until it has completed.`);
    }
    return archive.files;
  }

  async #page(query: Query): Promise<Schemas["BatchResultsResponse"]> {
    const response = await this.#transport.send({ method: "GET", path: `${this.#path()}/download`, query });
    return response.json();
  }

  /** Creates no more jobs, and cancels those that have not ended. */
  async cancel(): Promise<this> {
    return this.#ask("POST", "/cancel");
  }

  /** Continues a paused batch. */
  async resume(): Promise<this> {
    return this.#ask("POST", "/resume");
  }

  /** Deletes the batch with all of its jobs. */
  async delete(): Promise<void> {
    await this.#ask("DELETE", "");
  }

  async #ask(method: string, path: string): Promise<this> {
    const response = await this.#transport.send({ method, path: this.#path() + path });
    this.data = response.json<Schemas["BatchResponse"]>().batch;
    return this;
  }

  #path(): string {
    return `/v1/batches/${encodeURIComponent(this.id)}`;
  }
}

/** Batches: many jobs of one tool, made by one request. */
export class Batches {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a job for each of up to 100,000 items, and returns at once. All items are checked first. `options` are those of all jobs, and an item's own
   * count more.
   */
  async create<Slug extends AnyTool>(tool: Slug, items: BatchItem[], options?: OptionsOf<Slug>, settings: BatchSettings = {}): Promise<Batch> {
    const { then: steps = [], archive, stopOnError, webhook, idempotencyKey } = settings;
    const made: (Omit<BatchItem, "input"> & { input: SourceObject })[] = [];
    for (const item of items) made.push({ ...item, input: await available(this.#transport, item.input, tool) });
    const body = {
      toolSlug: tool,
      ...(await this.#sent(made)),
      options,
      webhook,
      ...(steps.length && { then: steps.map(({ tool, options }) => ({ toolSlug: tool, options })) }),
      ...(archive && { output: { archive } }),
      ...(stopOnError && { onError: "stop" }),
    };
    const response = await this.#transport.send({ method: "POST", path: "/v1/batches", body, headers: creating(idempotencyKey) });
    return new Batch(this.#transport, response.json<Schemas["BatchResponse"]>().batch);
  }

  /** The items, or the upload with them if they are too many for a request. */
  async #sent(items: object[]): Promise<{ items: object[] } | { itemsUploadId: string }> {
    const lines = new Blob([items.map((item) => JSON.stringify(item)).join("\n")]);
    if (items.length <= MOST_ITEMS && lines.size <= MOST_ITEM_BYTES) return { items };
    return { itemsUploadId: await upload(this.#transport, lines, "items.jsonl") };
  }

  async get(id: string): Promise<Batch> {
    const response = await this.#transport.send({ method: "GET", path: `/v1/batches/${encodeURIComponent(id)}` });
    return new Batch(this.#transport, response.json<Schemas["BatchResponse"]>().batch);
  }

  /** Your batches, newest first. */
  async *list({ status, pageSize }: { status?: string; pageSize?: number } = {}): AsyncGenerator<Batch, void, undefined> {
    let cursor: string | undefined;
    do {
      const response = await this.#transport.send({ method: "GET", path: "/v1/batches", query: { status, limit: pageSize, cursor } });
      const page = response.json<Schemas["BatchesResponse"]>();
      for (const batch of page.batches) yield new Batch(this.#transport, batch);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
}

/** Of a file whose digest the API does not tell. */
function asDownload(file: ArchiveFile): Download {
  return { ...file, sha256: "", contentType: "application/zip" };
}
