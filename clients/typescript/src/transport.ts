/** Sends requests to the API, and repeats what may go away by itself. */

import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, apiError, NetworkError, UsageError } from "./errors.ts";
import { pauseBefore } from "./retries.ts";

export const VERSION = "0.1.0";
/** The longest that the API holds a request, in seconds. */
export const LONGEST_WAIT = 25;

/** Where the API is, and how it is asked. */
export interface Settings {
  /** The address of the API; DOCMILL_URL by default. */
  url?: string;
  /** Your API key; DOCMILL_KEY by default. */
  key?: string;
  /** Seconds that one request may take, besides the time that it asks the API to wait. 60 by default. */
  timeout?: number;
  /** How often a request is repeated after a broken connection, 429, 500, 502, 503 or 504. 4 by default. */
  maxRetries?: number;
  /** Used instead of the platform's own, for example for a proxy. */
  fetch?: typeof fetch;
}

export type Query = Record<string, string | number | undefined>;

/** A request to the API. `repeatable`: whether it may be sent again if the answer was lost. */
export interface Request {
  method: string;
  path: string;
  body?: unknown;
  query?: Query | undefined;
  headers?: Record<string, string> | undefined;
  wait?: number;
  repeatable?: boolean;
}

/** A raw response, below 400. */
export class RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;

  constructor(status: number, headers: Headers, body: string) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  get requestId(): string {
    return this.headers.get("x-request-id") ?? "";
  }

  /** The body as JSON. Throws `ApiError` if it is something else, for example the page of a proxy. */
  json<T = unknown>(): T {
    try {
      return (this.body ? JSON.parse(this.body) : undefined) as T;
    } catch {
      const error = { code: "invalid_answer", message: "The answer is not JSON: is the address that of the API?" };
      throw new ApiError({ status: this.status, requestId: this.requestId, retryAfter: undefined, error });
    }
  }
}

export class Transport {
  readonly url: string;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly fetch: typeof fetch;
  // Private to the language, so that neither inspecting nor serializing shows it.
  readonly #key: string;

  constructor({ url = process.env["DOCMILL_URL"], key = process.env["DOCMILL_KEY"], ...more }: Settings) {
    // Plain JavaScript has no types that would refuse a misspelled setting.
    const unknown = Object.keys(more).find((name) => !["timeout", "maxRetries", "fetch"].includes(name));
    if (unknown) throw new UsageError(`There is no setting "${unknown}": url, key, timeout, maxRetries and fetch are known.`);
    if (!url || !key) throw new UsageError("Set DOCMILL_URL and DOCMILL_KEY in the environment, or give url and key.");
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new UsageError("The address of the API must begin with https:// or http://, such as https://api.example.com.");
    }
    this.url = url.replace(/\/+$/, "");
    this.#key = key;
    this.timeout = more.timeout ?? 60;
    this.maxRetries = more.maxRetries ?? 4;
    this.fetch = more.fetch ?? fetch;
  }

  /** A response below 400. Throws the last answer (`ApiError`), or `NetworkError` if there was none. */
  async send(request: Request): Promise<RawResponse> {
    return this.repeat(() => this.#attempt(request), request.repeatable ?? true);
  }

  /** Calls `attempt` until it does not throw, or must not be repeated. */
  async repeat<T>(attempt: (number: number) => Promise<T>, repeatable = true): Promise<T> {
    for (let number = 0; ; number++) {
      try {
        return await attempt(number);
      } catch (fault) {
        if (!(fault instanceof Error) || fault instanceof UsageError) throw fault;
        const pause = pauseBefore(number, this.maxRetries, fault, repeatable);
        if (pause === undefined) throw fault instanceof NetworkError ? fault.afterTries(number + 1) : fault;
        await sleep(pause * 1000);
      }
    }
  }

  async #attempt({ method, path, body, query = {}, headers = {}, wait = 0 }: Request): Promise<RawResponse> {
    const address = new URL(this.url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.append(name, String(value));
    }
    const sent: Record<string, string> = { ...headers, authorization: `Bearer ${this.#key}`, "user-agent": `docmill-typescript/${VERSION}` };
    if (wait) sent["prefer"] = `wait=${wait}`;
    if (body !== undefined) sent["content-type"] = "application/json";
    const signal = AbortSignal.timeout((this.timeout + wait) * 1000);
    const response = await answered(this.url, async () => {
      const answer = await this.fetch(address, { method, headers: sent, body: body === undefined ? null : JSON.stringify(body), signal, redirect: "manual" });
      return new RawResponse(answer.status, answer.headers, await answer.text());
    });
    if (response.status >= 400) throw errorOf(response);
    return response;
  }
}

/** What the call returns. Whatever `fetch` throws means that there was no whole answer. */
export async function answered<T>(address: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (failure) {
    // Only the host: the path and the query of a link may be secret.
    throw new NetworkError(`no answer from ${new URL(address).origin}: ${causeOf(failure)}`);
  }
}

/** What happened, in words. The texts of `fetch` may name links, so only codes are told. */
function causeOf(failure: unknown): string {
  const { name, cause } = failure as { name?: string; cause?: { code?: string; errors?: { code?: string }[] } };
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? name ?? "unknown";
  const words = WORDS[code];
  return words ? `${words} (${code})` : code;
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host could not be looked up",
  TimeoutError: "it took too long",
  UND_ERR_SOCKET: "the connection broke",
};

function errorOf(response: RawResponse): ApiError {
  return apiError(response.status, response.headers, response.body);
}
