// Converts a document with Docmill, with fetch and nothing else. Runs as it is with Node 22.18 or later.
//
// Usage: node convert.ts SOURCE_URL TARGET.pdf [IDEMPOTENCY_KEY], with DOCMILL_URL and DOCMILL_KEY in the environment.

import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

interface Fault {
  code: string;
  message: string;
}

interface Job {
  id: string;
  status: string;
  error?: Fault;
}

interface Download {
  url: string;
  sha256: string;
}

interface Answer {
  requestId: string;
  job?: Job;
  download?: Download;
  webhookTest?: { sample: { secret: string; headers: Record<string, string>; body: string } };
  error?: Fault;
}

// A request that waits for a job takes up to 25 seconds.
const TIMEOUT_MS = 40_000;
const JOB_MS = 180_000;

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/** Status and body. Repeats what may go away by itself, as the same request with the same Idempotency-Key. */
async function call(path: string, body?: object, headers: Record<string, string> = {}): Promise<[number, Answer]> {
  const request = {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${setting("DOCMILL_KEY")}`, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  };
  for (let attempt = 1; ; attempt++) {
    const last = attempt === 4;
    let pause = 2 ** (attempt - 1);
    try {
      const response = await fetch(setting("DOCMILL_URL") + path, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) return [response.status, (await response.json()) as Answer];
      if (last || ![429, 500, 503].includes(response.status)) throw new Refused(await describe(response));
      pause = Number(response.headers.get("retry-after") ?? pause);
    } catch (error) {
      if (last || error instanceof Refused) throw error;
    }
    await sleep(pause * 1000);
  }
}

/** An error answer of the service. Its message has no secrets and names the request. */
class Refused extends Error {}

async function describe(response: Response): Promise<string> {
  const { job, error, requestId } = (await response.json().catch(() => ({}))) as Partial<Answer>;
  // A failed job knows better than its answer what went wrong.
  const fault = job?.error ?? error;
  return fault ? `${fault.code}: ${fault.message} (request ${requestId})` : `HTTP status ${response.status}`;
}

/** The PDF made of the document at `source`. */
async function convert(source: string, idempotencyKey: string): Promise<Buffer> {
  const headers = { "idempotency-key": idempotencyKey, prefer: "wait=25" };
  const [, created] = await call("/v1/convert/office-to-pdf", { sourceUrl: source }, headers);
  const link = created.download ?? (await waitForDownload(created.job!.id));
  // The link is signed: it needs no key, and must not get one.
  const response = await fetch(link.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the download failed with HTTP status ${response.status}`);
  const pdf = Buffer.from(await response.arrayBuffer());
  if (createHash("sha256").update(pdf).digest("hex") !== link.sha256) throw new Error("the download is damaged");
  return pdf;
}

async function waitForDownload(jobId: string): Promise<Download> {
  const deadline = Date.now() + JOB_MS;
  for (let pause = 1; Date.now() < deadline; pause = Math.min(pause * 1.5, 10)) {
    const [status, answer] = await call(`/v1/jobs/${jobId}/download`);
    if (status === 200) return answer.download!;
    await sleep(pause * 1000);
  }
  throw new Error(`job ${jobId} has not ended in time`);
}

/** Throws unless `body` is, byte for byte, what was signed with `secret`, and was signed lately. */
function verify(secret: string, headers: Record<string, string>, body: string, toleranceSeconds = 300): void {
  const sentAt = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= toleranceSeconds)) throw new Error("the timestamp is too old");
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const digest = createHmac("sha256", key).update(`${headers["webhook-id"]}.${sentAt}.${body}`).digest("base64");
  const expected = Buffer.from(`v1,${digest}`);
  const given = headers["webhook-signature"].split(" ").map((each) => Buffer.from(each));
  if (!given.some((each) => each.length === expected.length && timingSafeEqual(each, expected))) {
    throw new Error("the signature does not fit");
  }
}

/** Gets a signed sample and shows that the receiver's check accepts it, and nothing else. */
async function tryReceiver(): Promise<void> {
  const [, answer] = await call("/v1/webhooks/test", { url: "https://hooks.example.com/docmill" });
  const { secret, headers, body } = answer.webhookTest!.sample;
  verify(secret, headers, body);
  const forgeries: [Record<string, string>, string][] = [
    [headers, `${body} `],
    [{ ...headers, "webhook-timestamp": "1" }, body],
  ];
  for (const [forgedHeaders, forgedBody] of forgeries) {
    let accepted = true;
    try {
      verify(secret, forgedHeaders, forgedBody);
    } catch {
      accepted = false;
    }
    if (accepted) throw new Error("a forged event was accepted");
  }
}

const [source, target, idempotencyKey = randomUUID()] = process.argv.slice(2);
if (!source || !target) throw new Error("usage: node convert.ts SOURCE_URL TARGET.pdf [IDEMPOTENCY_KEY]");
try {
  const pdf = await convert(source, idempotencyKey);
  await writeFile(target, pdf);
  console.log(`${target}: ${pdf.length} bytes`);
  await tryReceiver();
  console.log("webhook verified");
} catch (error) {
  console.error(`Error: ${(error as Error).message}`);
  process.exitCode = 1;
}
