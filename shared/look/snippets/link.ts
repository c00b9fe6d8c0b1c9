import { writeFile } from "node:fs/promises";

const response = await fetch(`${process.env.DOCMILL_URL}/v1/convert/office-to-pdf`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${process.env.DOCMILL_KEY}`,
    "Content-Type": "application/json",
    Prefer: "wait=25",
  },
  body: JSON.stringify(
    {"sourceUrl": "https://files.example.com/report.docx"}
  ),
});
if (!response.ok) throw new Error(await response.text());
const { job, download } = await response.json();

// Without a download, the job is still running or has failed.
if (!download) throw new Error(JSON.stringify(job));
// The link is signed: it needs no key.
const file = await fetch(download.url);
await writeFile(download.filename, Buffer.from(await file.arrayBuffer()));
