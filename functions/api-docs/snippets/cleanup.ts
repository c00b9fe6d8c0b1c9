import { Docmill } from "docmill";

const docmill = new Docmill();

// A job that has not ended is canceled first.
for await (const job of docmill.jobs.list({ metadata: { order: "2026-118" } })) {
  await job.delete();
}
