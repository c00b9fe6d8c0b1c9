// What must compile for users of the package, and what must not.

import { Docmill, type Job } from "docmill";

const docmill = new Docmill();
const job: Job = await docmill.convert("report.docx", { pageRange: "1-3" }).wait();
const charged: number = job.data.credits.charged;
await docmill.run("merge-pdf", ["a.pdf", { html: "<p>" }], { bookmarks: "titles" }).step("compress-pdf", { preset: "small" }).save("all.pdf");
await docmill.run("newer-tool", new URL("https://files.example.com/a.pdf"), { anything: charged }).step("newest-tool", { anything: true }).start();
for await (const { id, status } of docmill.jobs.list({ status: "failed" })) console.log(id, status);
// @ts-expect-error: not one of the values of a known option
docmill.run("merge-pdf", ["a.pdf"], { bookmarks: "nonsense" });
// @ts-expect-error: no option of this tool
docmill.convert("report.docx").step("compress-pdf", { presett: "small" });
// @ts-expect-error: a conversion that an async function returns stays a conversion, and is not started
const started: Job = await docmill.convert("report.docx");
// @ts-expect-error: sources have no such property
docmill.convert({ file: "report.docx", name: started.id });
