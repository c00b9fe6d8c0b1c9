// Converts a document with the client that openapi-generator makes: `convert SOURCE_URL TARGET`. Prints the job's id.

import { writeFile } from "node:fs/promises";
import { Configuration, JobStatus, JobsApi } from "./client";

async function main(sourceUrl: string, target: string): Promise<void> {
  const { DOCMILL_URL: basePath, DOCMILL_LIVE_KEY: accessToken } = process.env;
  const jobs = new JobsApi(new Configuration({ basePath, accessToken }));
  let { job } = await jobs.createJob({
    jobRequest: {
      toolSlug: "office-to-pdf",
      sourceUrl,
      options: { pageRange: "1" },
      metadata: { client: "openapi-generator-typescript" },
    },
  });
  while (!job.finishedAt) {
    ({ job } = await jobs.getJob({ jobId: job.id, wait: 25 }));
  }
  if (job.status !== JobStatus.Completed) throw new Error(`the job is ${job.status}`);
  const { download } = await jobs.getJobDownload({ jobId: job.id });
  const response = await fetch(download!.url);
  if (!response.ok) throw new Error(response.statusText);
  await writeFile(target, Buffer.from(await response.arrayBuffer()));
  console.log(job.id);
}

void main(process.argv[2]!, process.argv[3]!);
