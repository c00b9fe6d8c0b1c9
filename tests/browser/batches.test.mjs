// The account's batches: followed until their end, failed items tried again, and deleted.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, findings, mainText, people, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const headers = { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}`, "content-type": "application/json" };

async function create(items, more = {}) {
  const body = JSON.stringify({ toolSlug: "html-to-pdf", items, ...more });
  const response = await fetch(url("/v1/batches"), { method: "POST", headers, body });
  assert.equal(response.status, 202);
  return (await response.json()).batch.id;
}

test("a batch is followed, its failed items become a new one, and it is deleted", async () => {
  const lost = { url: `${process.env.SAMPLES_URL}/no-such-page.html` };
  const rows = [{ html: "<h1>One</h1>", filename: "one.pdf" }, lost, { html: "<h1>Two</h1>", filename: "two.pdf" }];
  const id = await create(rows, { output: { archive: true } });
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.user, `/app/batches/${id}`);
    // It refreshes itself until it has ended, and then has its archive.
    await page.getByRole("link", { name: "Download ZIP" }).waitFor({ timeout: 60_000 });
    await page.getByRole("region", { name: "Failures" }).getByText("source_unreachable", { exact: true }).waitFor();
    assert.match(await mainText(page), /Completed\s*2/);
    assert.match(await page.getByRole("status").first().innerText(), /completed, 1 failed/);
    const items = page.getByRole("region", { name: "Items with their results" }).locator("tbody tr");
    assert.deepEqual(await items.locator(".badge").allInnerTexts(), ["completed", "failed", "completed"]);
    const result = await items.last().getByRole("link", { name: "Download item 2" }).getAttribute("href");
    const pdf = await page.context().request.get(new URL(result, page.url()).href);
    assert.equal((await pdf.body()).subarray(0, 5).toString(), "%PDF-");
    assert.deepEqual(await findings(page), []);

    const archive = await page.getByRole("link", { name: "Download ZIP" }).getAttribute("href");
    const zip = await page.context().request.get(new URL(archive, page.url()).href);
    assert.equal((await zip.body()).subarray(0, 2).toString(), "PK");
    const table = await page.getByRole("link", { name: "Items 0 to 2 as CSV" }).getAttribute("href");
    const csv = await (await page.context().request.get(new URL(table, page.url()).href)).text();
    assert.equal(csv.trim().split("\r\n").length, 4);

    await page.getByRole("button", { name: "Retry failed" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The failed items are a new batch.").waitFor();
    assert.match(page.url(), /\/app\/batches\/bat_/);
    assert.ok(!page.url().includes(id));
    assert.match(await mainText(page), /1 item/);

    await visitor.goto(`/app/batches/${id}/delete`);
    await page.getByRole("button", { name: "Delete the batch" }).click();
    await page.getByText("The batch is being deleted.").waitFor();
    await page.getByRole("heading", { name: "Batches", exact: true }).waitFor();
    assert.deepEqual(await findings(page), []);
  });
});
