import { Docmill } from "docmill";

const docmill = new Docmill();

// The next job may name this one at once: it waits for the result.
const report = await docmill.convert({ html: "<h1>Report</h1>" }).start();

const sources = [{ markdown: "# Cover" }, { jobId: report.id }, { html: "<h1>Terms</h1>" }];
await docmill
  .run("merge-pdf", sources, {}, { output: { retentionSeconds: 3600 } })
  .step("watermark-pdf", { text: "Draft" })
  .step("compress-pdf")
  .save("handout.pdf");
