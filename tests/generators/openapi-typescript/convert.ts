// Converts a document with openapi-fetch and the types of openapi-typescript: `convert SOURCE_URL TARGET`. Prints the job's id.

import { writeFile } from "node:fs/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./client";

type Job = components["schemas"]["Job"];

async function main(sourceUrl: string, target: string): Promise<void> {
  const { DOCMILL_URL: baseUrl, DOCMILL_LIVE_KEY: key } = process.env;
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  const created = await client.POST("/v1/jobs", {
    body: {
      toolSlug: "office-to-pdf",
      sourceUrl,
      options: { pageRange: "1" },
      metadata: { client: "openapi-typescript" },
    },
  });
  if (!created.data) throw new Error(created.error.error.message);
  let job: Job = created.data.job;
  const params = { path: { job_id: job.id } };
  while (!job.finishedAt) {
    const found = await client.GET("/v1/jobs/{job_id}", { params: { ...params, query: { wait: 25 } } });
    if (!found.data) throw new Error(found.error.error.message);
    job = found.data.job;
  }
  if (job.status !== "completed") throw new Error(`the job is ${job.status}`);
  const ready = await client.GET("/v1/jobs/{job_id}/download", { params });
  if (!ready.data || !("download" in ready.data)) throw new Error("there is no download");
  const response = await fetch(ready.data.download!.url);
  if (!response.ok) throw new Error(response.statusText);
  await writeFile(target, Buffer.from(await response.arrayBuffer()));
  console.log(job.id);
}

void main(process.argv[2]!, process.argv[3]!);
