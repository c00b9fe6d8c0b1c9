// Makes one PDF of an order's documents, cancels a job, and deletes what Docmill stores of the order. Runs as it is with
// Node 22.18 or later.
//
// Usage: node order.ts SOURCE_URL TARGET.pdf ORDER, with DOCMILL_URL and DOCMILL_KEY in the environment.

import { writeFile } from "node:fs/promises";

interface Job {
  id: string;
  toolSlug: string;
  status: string;
}

const PDF = { accept: "application/pdf", prefer: "wait=25" };

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  // fetch sends the key to the API alone, and not to the signed link that it redirects to.
  const authorization = `Bearer ${process.env.DOCMILL_KEY}`;
  const response = await fetch(process.env.DOCMILL_URL + path, {
    method,
    headers: { authorization, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(40_000),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}

async function job(response: Response): Promise<Job> {
  return ((await response.json()) as { job: Job }).job;
}

/** The id of a new job, which has not ended yet. */
async function page(html: string, order: string, options: object): Promise<string> {
  const body = { html, options, metadata: { order } };
  return (await job(await call("POST", "/v1/convert/html-to-pdf", body))).id;
}

/** All jobs of an order, newest first. */
async function* jobs(order: string): AsyncGenerator<Job> {
  const query = new URLSearchParams({ "metadata.order": order, limit: "100" });
  for (let more = true; more; ) {
    const answer = await (await call("GET", `/v1/jobs?${query}`)).json() as { jobs: Job[]; nextCursor?: string };
    yield* answer.jobs;
    more = answer.nextCursor !== undefined;
    query.set("cursor", answer.nextCursor ?? "");
  }
}

async function main(source: string, target: string, order: string): Promise<void> {
  // The next job may name this one at once: it waits for the result.
  const invoice = await page("<h1>Invoice</h1>", order, {});
  const draft = await page("<h1>Draft</h1>", order, { waitFor: { delayMs: 20_000 } });
  console.log("draft", (await job(await call("POST", `/v1/jobs/${draft}/cancel`))).status);

  const merge = {
    sources: [{ markdown: "# Cover" }, { jobId: invoice }, { sourceUrl: source }],
    then: [{ toolSlug: "watermark-pdf", options: { text: "COPY" } }, { toolSlug: "compress-pdf" }],
    metadata: { order },
  };
  // The whole conversion in one request. If it takes longer than 25 seconds, the answer is the job: ask again.
  let answer = await call("POST", "/v1/tools/merge-pdf/jobs", merge, PDF);
  while (answer.headers.get("content-type") !== "application/pdf") {
    answer = await call("GET", `/v1/jobs/${(await job(answer)).id}`, undefined, PDF);
  }
  const pdf = Buffer.from(await answer.arrayBuffer());
  await writeFile(target, pdf);
  console.log(`${target}: ${pdf.length} bytes`);

  for await (const { id, toolSlug } of jobs(order)) {
    await call("DELETE", `/v1/jobs/${id}`);
    console.log(`${toolSlug} deleted`);
  }
}

const [source, target, order] = process.argv.slice(2);
if (!source || !target || !order) throw new Error("usage: node order.ts SOURCE_URL TARGET.pdf ORDER");
try {
  await main(source, target, order);
} catch (error) {
  console.error(`Error: ${(error as Error).message}`);
  process.exitCode = 1;
}
