// The runner of the conformance suite for this client.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { format, inspect } from "node:util";
import * as docmill from "docmill";

// Steps are what the suite sends: any JSON.
type Step = any;

const FAMILIES: [new (...parts: never[]) => Error, string][] = [
  [docmill.InvalidRequestError, "invalid_request"],
  [docmill.AuthenticationError, "authentication"],
  [docmill.InsufficientCreditsError, "credits"],
  [docmill.PermissionDeniedError, "permission"],
  [docmill.NotFoundError, "not_found"],
  [docmill.ConflictError, "conflict"],
  [docmill.GoneError, "gone"],
  [docmill.ValidationError, "validation"],
  [docmill.RateLimitError, "rate_limit"],
  [docmill.ServerError, "server"],
  [docmill.ApiError, "api"],
  [docmill.JobFailedError, "job_failed"],
  [docmill.JobCanceledError, "job_canceled"],
  [docmill.WaitTimeoutError, "wait_timeout"],
  [docmill.NetworkError, "network"],
  [docmill.IntegrityError, "integrity"],
  [docmill.WebhookError, "webhook"],
  [docmill.UsageError, "usage"],
];

function sourceOf(told: Step): docmill.Source {
  if (told.content !== undefined) return { content: Buffer.from(told.content), name: told.name };
  if (told.opened) return new File([readFileSync(told.opened)], basename(told.opened));
  return told.file ?? told.address ?? told;
}

function conversion(client: docmill.Docmill, step: Step): docmill.Conversion {
  const { metadata, idempotencyKey } = step;
  const settings = { metadata, idempotencyKey };
  let made: docmill.Conversion;
  if (step.sources) made = client.run(step.tool, step.sources.map(sourceOf), step.options, settings);
  else if (step.tool) made = client.run(step.tool, sourceOf(step.source), step.options, settings);
  else made = client.convert(sourceOf(step.source), step.options, settings);
  for (const each of step.then ?? []) made = made.step(each.toolSlug as string, each.options);
  return made;
}

async function listed<T>(iterator: AsyncIterable<T>, take?: number): Promise<T[]> {
  const found: T[] = [];
  for await (const each of iterator) {
    found.push(each);
    if (found.length === take) break;
  }
  return found;
}

function saved({ path, bytes, sha256, files }: docmill.Saved): object {
  return { path, bytes, sha256, ...(files && { files }) };
}

const messages: string[] = [];
process.on("warning", ({ name, message, ...more }) => {
  if (name === "DocmillWarning") messages.push(`${(more as { code?: string }).code}: ${message}`);
});

/** What the client has warned of since the last call. Node tells it in the next turn. */
async function warned(): Promise<{ warned: string[] }> {
  await setImmediate();
  return { warned: messages.splice(0) };
}

/** One for each word of the vocabulary. */
const STEPS: Record<string, (client: docmill.Docmill, step: Step) => Promise<object>> = {
  tool: async (_, step) => ({ tool: docmill.toolFor(sourceOf(step.source)) }),
  convert: async (client, step) => {
    const result = await conversion(client, step).save(step.path, { seconds: step.seconds, overwrite: step.overwrite });
    return { job: result.job, file: saved(result), ...(await warned()) };
  },
  bytes: async (client, step) => {
    const content = await conversion(client, step).bytes({ seconds: step.seconds });
    return { bytes: content.byteLength, sha256: createHash("sha256").update(content).digest("hex"), ...(await warned()) };
  },
  start: async (client, step) => ({ job: (await conversion(client, step).start()).data }),
  wait: async (client, step) => ({ job: (await (await client.jobs.get(step.id)).wait(step.seconds)).data }),
  save: async (client, step) => {
    const job = await client.jobs.get(step.id);
    return { file: saved(await job.save(step.path, { seconds: step.seconds, overwrite: step.overwrite })), ...(await warned()) };
  },
  batchCreate: async (client, step) => {
    const items = step.items.map((item: Step) => ({ ...item, input: sourceOf(item.input) }));
    const then = step.then?.map((each: Step) => ({ tool: each.toolSlug, options: each.options }));
    return { batch: (await client.batches.create(step.tool as string, items, step.options, { then, archive: step.archive })).data };
  },
  batchWait: async (client, step) => {
    const progress: number[] = [];
    const batch = await client.batches.get(step.id);
    await batch.wait({ seconds: step.seconds, progress: (each) => progress.push(each.counts.completed) });
    return { batch: batch.data, progress };
  },
  batchResults: async (client, step) => {
    const batch = await client.batches.get(step.id);
    return { results: await listed(batch.results({ pageSize: step.pageSize }), step.take) };
  },
  batchArchive: async (client, step) => ({ files: await (await client.batches.get(step.id)).saveArchive(step.path) }),
  batchList: async (client, step) => ({ ids: (await listed(client.batches.list({ pageSize: step.pageSize }), step.take)).map(({ id }) => id) }),
  batchDelete: async (client, step) => {
    await (await client.batches.get(step.id)).delete();
    return {};
  },
  job: async (client, step) => ({ job: (await client.jobs.get(step.id)).data }),
  jobs: async (client, step) => {
    const jobs = await listed(client.jobs.list({ ...step.filters, pageSize: step.pageSize }), step.take);
    return { ids: jobs.map((job) => job.id) };
  },
  receipt: async (client, step) => ({ receipt: await (await client.jobs.get(step.id)).receipt() }),
  cancel: async (client, step) => ({ job: (await (await client.jobs.get(step.id)).cancel()).data }),
  delete: async (client, step) => {
    await (await client.jobs.get(step.id)).delete();
    return {};
  },
  upload: async (client, step) => ({ id: await client.uploads.create(step.file) }),
  events: async (client, step) => {
    const events = await listed(client.events.list({ ...step.filters, pageSize: step.pageSize }), step.take);
    return { events: events.map(({ id, type }) => ({ id, type })) };
  },
  tools: async (client) => ({ slugs: (await client.tools.list()).map((tool) => tool.slug) }),
  schema: async (client, step) => ({ tool: await client.tools.schema(step.tool) }),
  usage: async (client) => ({ usage: await client.usage() }),
  webhookCreate: async (client, step) => ({ webhook: await client.webhooks.create(step.body) }),
  webhookList: async (client) => ({ ids: (await client.webhooks.list()).map((webhook) => webhook.id) }),
  webhookRotate: async (client, step) => ({ webhook: await client.webhooks.rotate(step.id) }),
  webhookDelete: async (client, step) => {
    await client.webhooks.delete(step.id);
    return {};
  },
  webhookTest: async (client, step) => ({ webhookTest: await client.webhooks.test(step.target) }),
  verify: async (_, step) => {
    const { type, data } = new docmill.WebhookVerifier(step.secret).verify(step.body, step.headers);
    return { type, data };
  },
  request: async (client, step) => {
    const response = await client.request(step.method, step.path, { body: step.body, headers: step.headers });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.json(), requestId: response.requestId };
  },
  describe: async (client) => {
    const made = conversion(client, { source: { html: "<p>" } });
    const texts = [client, made].flatMap((each) => [inspect(each, { depth: 20, showHidden: true }), format("%o", each), JSON.stringify(each)]);
    return { texts: [...texts, String(client)] };
  },
};

function errorOf(failure: docmill.DocmillError): object {
  const family = FAMILIES.find(([Kind]) => failure instanceof Kind)?.[1] ?? `unexpected ${failure.name}`;
  const { reason, ...more } = failure as docmill.DocmillError & { reason?: string };
  const { name: _, cause: __, ...fields } = more as unknown as Record<string, unknown>;
  return { ...fields, family, message: reason, text: `${failure} ${inspect(failure)}` };
}

async function answer({ client, ...step }: Step): Promise<object> {
  const { url, key, timeoutSeconds: timeout, maxRetries } = client;
  const made = new docmill.Docmill({ url, key, timeout, maxRetries });
  try {
    const run = STEPS[step.do];
    if (!run) throw new Error(`unknown step ${step.do}`);
    return { result: await run(made, step) };
  } catch (failure) {
    if (!(failure instanceof docmill.DocmillError)) throw failure;
    return { error: errorOf(failure) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
