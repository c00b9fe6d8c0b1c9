/** Receives webhooks: verifies them with the library of Standard Webhooks. */

import { Webhook } from "standardwebhooks";
import { WebhookError } from "./errors.ts";
import type { Event } from "./types.ts";

/** Verifies requests to one endpoint, with the secret that the API showed when the endpoint was created. */
export class WebhookVerifier {
  readonly #verifier: Webhook;

  constructor(secret: string) {
    this.#verifier = new Webhook(secret);
  }

  /**
   * The event, if `body` is, byte for byte, what was signed within the last five minutes. Otherwise throws `WebhookError`: answer with 400, and
   * do nothing else. Skip events that you have seen before, by the header `webhook-id`.
   */
  verify(body: string | Uint8Array, headers: Headers | Record<string, string | string[] | undefined>): Event {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    const given = headers instanceof Headers ? Object.fromEntries(headers) : headers;
    try {
      return this.#verifier.verify(text, given as Record<string, string>) as Event;
    } catch (failure) {
      throw new WebhookError(`This is not a webhook of this endpoint: ${(failure as Error).message}`);
    }
  }
}
