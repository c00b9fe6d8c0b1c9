import { writeFile } from "node:fs/promises";

const response = await fetch(`${process.env.DOCMILL_URL}/v1/convert/office-to-pdf`, {
  method: "POST",
  headers: {
    Authorization: `Bearer ${process.env.DOCMILL_KEY}`,
    "Content-Type": "application/json",
    Accept: "application/pdf",
    Prefer: "wait=25",
  },
  body: JSON.stringify(
    {"sourceUrl": "https://files.example.com/report.docx"}
  ),
});
// 202: the job is still running.
if (response.status !== 200) throw new Error(await response.text());
await writeFile("report.pdf", Buffer.from(await response.arrayBuffer()));
