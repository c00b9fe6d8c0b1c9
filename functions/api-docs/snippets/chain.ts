import { writeFile } from "node:fs/promises";

async function call(path: string, body?: object): Promise<any> {
  const response = await fetch(process.env.DOCMILL_URL + path, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${process.env.DOCMILL_KEY}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// The next job may name this one at once: it waits for the result.
const report = await call("/v1/convert/html-to-pdf", { html: "<h1>Report</h1>" });

let answer = await call("/v1/tools/merge-pdf/jobs", {
  sources: [
    { markdown: "# Cover" },
    { jobId: report.job.id },
    { html: "<h1>Terms</h1>" },
  ],
  then: [
    { toolSlug: "watermark-pdf", options: { text: "Draft" } },
    { toolSlug: "compress-pdf" },
  ],
  output: { filename: "handout.pdf", retentionSeconds: 3600 },
});

// Each request waits for up to 25 seconds.
while (!answer.job.finishedAt) answer = await call(`/v1/jobs/${answer.job.id}?wait=25`);
if (!answer.download) throw new Error(answer.job.error.message);

// The link is signed: it needs no key.
const file = await fetch(answer.download.url);
await writeFile("handout.pdf", Buffer.from(await file.arrayBuffer()));
