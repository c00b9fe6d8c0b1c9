/** What else the API has: tools, uploads, events, webhooks, templates, fonts. */

import { upload } from "./files.ts";
import { LONGEST_WAIT, type Query, type Request, type Transport } from "./transport.ts";
import type { Delivery, Font, ListedEvent, Schemas, Template, Tool, ToolSchema, Webhook, WebhookTest } from "./types.ts";

class Resource {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  protected async ask<T>(method: string, path: string, more: Partial<Request> = {}): Promise<T> {
    const response = await this.transport.send({ method, path, ...more });
    return response.json<T>();
  }
}

/** The tools that your key may use. */
export class Tools extends Resource {
  async list(): Promise<Tool[]> {
    return (await this.ask<Schemas["ToolsResponse"]>("GET", "/v1/tools")).tools;
  }

  /** The JSON Schema of the tool's jobs, and the limits of your key. */
  async schema(tool: string): Promise<ToolSchema> {
    return (await this.ask<Schemas["ToolSchemaResponse"]>("GET", `/v1/tools/${encodeURIComponent(tool)}/schema`)).tool;
  }
}

/** Files for jobs. Conversions upload files themselves; do it yourself to use one in several jobs. */
export class Uploads extends Resource {
  /** Uploads a file or bytes, and returns the id, for `{ uploadId }`. It works for an hour. */
  async create(source: string | Uint8Array | Blob, filename?: string): Promise<string> {
    return upload(this.transport, source, filename);
  }
}

export interface EventFilter {
  after?: string;
  before?: string;
  type?: string;
  jobId?: string;
  pageSize?: number;
}

/** What happened to your jobs and your account, for 30 days. */
export class Events extends Resource {
  async get(id: string): Promise<ListedEvent> {
    return (await this.ask<{ event: ListedEvent }>("GET", `/v1/events/${encodeURIComponent(id)}`)).event;
  }

  /** All events that match, oldest first. */
  async *list({ after, pageSize, ...filter }: EventFilter = {}): AsyncGenerator<ListedEvent, void, undefined> {
    for (let more = true; more; ) {
      const page = await this.#page({ ...filter, limit: pageSize, after }, 0);
      yield* page.events;
      after = page.nextCursor ?? after;
      more = page.hasMore;
    }
  }

  /** Events as they happen, without end. Remember the id of the last one that you handled, to go on `after` it. */
  async *follow({ after, type }: Pick<EventFilter, "after" | "type"> = {}): AsyncGenerator<ListedEvent, void, undefined> {
    for (;;) {
      const page = await this.#page({ type, after }, LONGEST_WAIT);
      yield* page.events;
      after = page.nextCursor ?? after;
    }
  }

  async #page(query: Query, wait: number): Promise<Schemas["EventsResponse"]> {
    return this.ask("GET", "/v1/events", { query, wait });
  }
}

/** Endpoints to which events are sent. `WebhookVerifier` verifies what arrives. */
export class Webhooks extends Resource {
  /** Creates an endpoint. Its `secret` is shown only here. Not repeated after a lost answer: there may be an endpoint then. */
  async create(webhook: Schemas["WebhookRequest"]): Promise<Webhook> {
    return this.#webhook("POST", "", { body: webhook, repeatable: false });
  }

  async list(): Promise<Webhook[]> {
    return (await this.ask<Schemas["WebhooksResponse"]>("GET", "/v1/webhooks")).webhooks;
  }

  async get(id: string): Promise<Webhook> {
    return this.#webhook("GET", `/${encodeURIComponent(id)}`);
  }

  async update(id: string, change: Schemas["WebhookChange"]): Promise<Webhook> {
    return this.#webhook("PATCH", `/${encodeURIComponent(id)}`, { body: change });
  }

  async delete(id: string): Promise<void> {
    await this.ask("DELETE", `/v1/webhooks/${encodeURIComponent(id)}`);
  }

  /** Gives the endpoint a new secret. Until the overlap ends, requests have the signatures of both. */
  async rotate(id: string, { overlapHours }: { overlapHours?: number } = {}): Promise<Webhook> {
    return this.#webhook("POST", `/${encodeURIComponent(id)}/rotate`, { body: { overlapHours }, repeatable: false });
  }

  /** What was sent, newest first. */
  async *deliveries(id: string, { status, pageSize }: { status?: string; pageSize?: number } = {}): AsyncGenerator<Delivery, void, undefined> {
    let cursor: string | undefined;
    do {
      const query = { status, limit: pageSize, cursor };
      const page = await this.ask<Schemas["DeliveriesResponse"]>("GET", `/v1/webhooks/${encodeURIComponent(id)}/deliveries`, { query });
      yield* page.deliveries;
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }

  /** Sends events again. */
  async replay(id: string, which: Schemas["ReplayRequest"]): Promise<Schemas["ReplayResponse"]> {
    return this.ask("POST", `/v1/webhooks/${encodeURIComponent(id)}/replay`, { body: which, repeatable: false });
  }

  /** A signed sample for trying out a receiver. Nothing is sent. */
  async test(url: string): Promise<WebhookTest> {
    return (await this.ask<Schemas["WebhookTestResponse"]>("POST", "/v1/webhooks/test", { body: { url } })).webhookTest;
  }

  async #webhook(method: string, path: string, more: Partial<Request> = {}): Promise<Webhook> {
    return (await this.ask<Schemas["WebhookResponse"]>(method, `/v1/webhooks${path}`, more)).webhook;
  }
}

/** Templates that stay in your account, by name and version. */
export class Templates extends Resource {
  /** Uploads a template, and adds it as the next version of this name. */
  async create(name: string, source: string | Uint8Array | Blob, filename?: string): Promise<Template> {
    const body = { name, uploadId: await upload(this.transport, source, filename) };
    return (await this.ask<Schemas["TemplateResponse"]>("POST", "/v1/templates", { body })).template;
  }

  async list(): Promise<Template[]> {
    return (await this.ask<Schemas["TemplatesResponse"]>("GET", "/v1/templates")).templates;
  }

  /** A version with the schema of its data and an example: the newest by default. */
  async get(name: string, version?: number): Promise<Template> {
    return (await this.ask<Schemas["TemplateResponse"]>("GET", versioned(name, version))).template;
  }

  /** Deletes a version, or all of them. */
  async delete(name: string, version?: number): Promise<void> {
    await this.ask("DELETE", versioned(name, version));
  }
}

function versioned(name: string, version?: number): string {
  const path = `/v1/templates/${encodeURIComponent(name)}`;
  return version === undefined ? path : `${path}?version=${version}`;
}

/** Fonts of your account, which all conversions use. */
export class Fonts extends Resource {
  /** Uploads a font, and adds it to your account. */
  async create(source: string | Uint8Array | Blob, filename?: string): Promise<Font> {
    const body = { uploadId: await upload(this.transport, source, filename) };
    return (await this.ask<Schemas["FontResponse"]>("POST", "/v1/fonts", { body })).font;
  }

  async list(): Promise<Font[]> {
    return (await this.ask<Schemas["FontsResponse"]>("GET", "/v1/fonts")).fonts;
  }

  async delete(id: string): Promise<void> {
    await this.ask("DELETE", `/v1/fonts/${encodeURIComponent(id)}`);
  }
}
