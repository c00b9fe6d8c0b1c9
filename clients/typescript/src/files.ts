/** Sends and receives files through signed links, a part at a time. The API key is never sent there. */

import { createHash, type Hash, randomUUID } from "node:crypto";
import { openAsBlob } from "node:fs";
import { open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { apiError, ApiError, IntegrityError, UsageError } from "./errors.ts";
import { publish } from "./results.ts";
import { answered, type Transport } from "./transport.ts";
import type { Download, Upload } from "./types.ts";

// Statuses of links.
const PARTIAL = 206;
const EXPIRED = 403;
const ALREADY_THERE = 412;

/** Announces a file, sends it, and returns the id by which jobs name it. */
export async function upload(transport: Transport, source: string | Uint8Array | Blob, filename?: string): Promise<string> {
  const content = typeof source === "string" ? await fileAt(source) : source instanceof Blob ? source : new Blob([source as Uint8Array<ArrayBuffer>]);
  const name = filename ?? (typeof source === "string" ? basename(source) : undefined);
  const announced = {
    contentType: "application/octet-stream",
    bytes: content.size,
    sha256: await sha256Of(content),
    ...(name && { filename: name }),
  };
  // Repeating it announces another upload, which is harmless.
  const response = await transport.send({ method: "POST", path: "/v1/uploads", body: announced });
  const { upload: link } = response.json<{ upload: Upload }>();
  await transport.repeat((attempt) => put(transport, link, content, attempt));
  return link.id;
}

/** A view of a file, which is read when it is needed. */
async function fileAt(path: string): Promise<Blob> {
  try {
    const file = await open(path);
    await file.close();
    return await openAsBlob(path);
  } catch (failure) {
    throw new UsageError(`${path} can't be read: ${(failure as NodeJS.ErrnoException).code}`);
  }
}

async function sha256Of(content: Blob): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of content.stream()) hash.update(part);
  return hash.digest("hex");
}

/** Sends the whole file. */
async function put(transport: Transport, link: Upload, content: Blob, attempt: number): Promise<void> {
  const idle = new Idle(transport.timeout);
  const watched = content.stream().pipeThrough(new TransformStream({ transform: (part, sink) => (idle.progress(), sink.enqueue(part)) }));
  const headers = { ...link.headers, "content-length": String(content.size) };
  const request = { method: "PUT", headers, body: watched, duplex: "half", signal: idle.signal, redirect: "manual" } as RequestInit;
  const [response, text] = await idle.during(() =>
    answered(link.url, async () => {
      const answer = await transport.fetch(link.url, request);
      return [answer, await answer.text()] as const;
    }),
  );
  // A link works once: an earlier try has arrived, but not its answer.
  const hasArrived = attempt > 0 && response.status === ALREADY_THERE;
  if (!response.ok && !hasArrived) throw apiError(response.status, response.headers, text);
}

/** Saves what is behind the link at `target`, which only exists once it is whole and as announced. */
export async function download(transport: Transport, link: Download, target: string, renew: () => Promise<Download>, overwrite: boolean): Promise<void> {
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}.part`);
  const file = await open(temporary, "wx").catch((failure: NodeJS.ErrnoException) => {
    throw new UsageError(`${target} can't be written: ${failure.code}`);
  });
  try {
    try {
      await new Transfer(transport, link, file, renew).run();
    } finally {
      await file.close();
    }
    await publish(temporary, target, overwrite);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** What is behind the link, whole and as announced. */
export async function downloadBytes(transport: Transport, link: Download, renew: () => Promise<Download>): Promise<Uint8Array> {
  const memory = new Memory();
  await new Transfer(transport, link, memory, renew).run();
  return memory.whole();
}

/** Where a transfer puts what arrives. */
interface Sink {
  write(part: Uint8Array, offset: number, length: number, position: number): Promise<unknown>;
  truncate(length: number): Promise<void>;
}

/** Keeps what arrives in memory. Parts come one after the other. */
class Memory implements Sink {
  #parts: Uint8Array[] = [];

  async write(part: Uint8Array): Promise<void> {
    this.#parts.push(part);
  }

  async truncate(): Promise<void> {
    this.#parts = [];
  }

  whole(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

/** What has arrived so far of a file, and the link for the rest. */
class Transfer {
  readonly #transport: Transport;
  readonly #file: Sink;
  readonly #renew: () => Promise<Download>;
  #link: Download;
  #hash: Hash = createHash("sha256");
  #size = 0;

  constructor(transport: Transport, link: Download, file: Sink, renew: () => Promise<Download>) {
    this.#transport = transport;
    this.#link = link;
    this.#file = file;
    this.#renew = renew;
  }

  async run(): Promise<void> {
    await this.#transport.repeat(async () => {
      try {
        await this.#attempt();
      } catch (fault) {
        if (!(fault instanceof ApiError) || fault.status !== EXPIRED) throw fault;
        // A new link works at once.
        this.#link = await this.#renew();
        await this.#attempt();
      }
    });
  }

  async #attempt(): Promise<void> {
    // A connection can also break after the last byte.
    if (this.#size < this.#link.bytes) await this.#receiveRest();
    // Of archives, only the size is known.
    const isSame = !this.#link.sha256 || this.#hash.copy().digest("hex") === this.#link.sha256;
    if (this.#size === this.#link.bytes && isSame) return;
    const fault = new IntegrityError(`the download has ${this.#size} bytes and is not the result of ${this.#link.bytes} bytes`);
    await this.#startOver();
    throw fault;
  }

  async #startOver(): Promise<void> {
    await this.#file.truncate(0);
    this.#hash = createHash("sha256");
    this.#size = 0;
  }

  async #receiveRest(): Promise<void> {
    const headers: Record<string, string> = this.#size ? { range: `bytes=${this.#size}-` } : {};
    const idle = new Idle(this.#transport.timeout);
    await idle.during(async () => {
      const response = await answered(this.#link.url, () => this.#transport.fetch(this.#link.url, { headers, signal: idle.signal, redirect: "manual" }));
      if (!response.ok) throw apiError(response.status, response.headers, await answered(this.#link.url, () => response.text()));
      if (response.status !== PARTIAL) await this.#startOver();
      await this.#receive(response, idle);
    });
  }

  async #receive(response: Response, idle: Idle): Promise<void> {
    const reader = response.body?.getReader();
    const next = () => answered(this.#link.url, async () => reader?.read());
    for (let part = await next(); part && !part.done; part = await next()) {
      idle.progress();
      await this.#file.write(part.value, 0, part.value.byteLength, this.#size);
      this.#hash.update(part.value);
      this.#size += part.value.byteLength;
    }
  }
}

/** Aborts a transfer once nothing has moved for some time. */
class Idle {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException("idle", "TimeoutError")), seconds * 1000);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  progress(): void {
    this.#timer.refresh();
  }

  async during<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
