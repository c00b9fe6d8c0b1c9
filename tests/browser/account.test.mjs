// Users' work with their account: keys, jobs and webhooks.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { closeBrowser, eventually, findings, mainText, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const document = fileURLToPath(new URL("../../samples/small.docx", import.meta.url));

const authorization = (key) => ({ headers: { authorization: `Bearer ${key}` } });
const statusOf = async (key) => (await fetch(url("/v1/tools"), authorization(key))).status;

/** Creates a key by the form, and gives its secret. */
async function createKey(page, goto, name) {
  await goto("/app/keys");
  await page.getByRole("link", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Mode").selectOption("live");
  await page.getByRole("button", { name: "Create key" }).click();
  return page.locator("#secret").innerText();
}

test("a key is created, used, regenerated and revoked", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    const first = await createKey(page, goto, "Journey");
    assert.match(first, /^dm_live_[0-9A-Za-z]{36}$/);
    assert.deepEqual(await findings(page), []);
    assert.equal(await statusOf(first), 200);
    assert.ok(!page.url().includes("dm_live_"), "no secret in the address");

    await page.getByRole("link", { name: "I have copied it" }).click();
    assert.match(await mainText(page), /Journey/);
    assert.ok(!(await page.content()).includes(first), "shown once");
    await page.goBack();
    assert.ok(!(await page.content()).includes(first), "and not again by going back");

    await goto("/app/keys");
    await page.getByRole("link", { name: "Regenerate Journey" }).click();
    await page.getByLabel("Old secret expires").selectOption("0");
    await page.getByRole("button", { name: "Regenerate" }).click();
    const second = await page.locator("#secret").innerText();
    assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);

    await goto("/app/keys");
    await page.getByRole("link", { name: "Revoke Journey" }).click();
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("The key was revoked").waitFor();
    assert.equal(await statusOf(second), 401);
    await goto("/app/webhooks");
    assert.match(await mainText(page), /api_key\.revoked/);
  });
});

test("a new user finds their way from the printed address to a key and a PDF", async () => {
  const person = await newPerson();
  await withVisitor({ viewport: { width: 1280, height: 800 } }, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, person);
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Create an API key" }).click();
    await page.getByLabel("Name").fill("My first key");
    await page.getByRole("button", { name: "Create key" }).click();
    assert.equal(await statusOf(await page.locator("#secret").innerText()), 200);
    await page.getByRole("main").getByRole("link", { name: "playground" }).click();
    // Until its script has run, the form is sent without the file.
    await page.waitForURL("**/app/playground*");
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(document);
    await page.getByRole("button", { name: "Convert" }).click();
    const ready = page.getByRole("heading", { name: "Your PDF is ready" });
    await ready.waitFor({ timeout: 120_000 });
    const [bar, heading] = [await page.getByRole("banner").boundingBox(), await ready.boundingBox()];
    assert.ok(heading.y >= bar.y + bar.height && heading.y < 800, `the result is seen: ${JSON.stringify([bar, heading])}`);
    assert.equal(await page.getByRole("link", { name: "Download small.pdf" }).count(), 1);
  });
});

test("a wrong form stays filled in, and works without scripts", async () => {
  const person = await newPerson();
  await withVisitor({ javaScriptEnabled: false }, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    await goto("/app/keys/new");
    await page.getByLabel("Name").fill("Two lines of origins");
    await page.getByLabel(/^Origins/).fill("https://ok.example\nnonsense");
    await page.getByRole("button", { name: "Create key" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "Two lines of origins");
    assert.match(await page.locator("#origins-error").innerText(), /origin/);
    await page.getByLabel(/^Origins/).fill("https://ok.example");
    await page.getByLabel("Only these").check();
    await page.getByRole("button", { name: "Create key" }).click();
    assert.equal(await page.locator("#tools-error").innerText(), "Choose at least one tool, or all.");
    await page.getByLabel("Merge PDF").check();
    await page.getByRole("button", { name: "Create key" }).click();
    assert.match(await page.locator("#secret").innerText(), /^dm_test_/);
    await goto("/app/keys");
    assert.match(await mainText(page), /Merge PDF|merge-pdf/);
  });
});

test("a job page follows the job without a reload, offers the download, and hides other accounts' jobs", async () => {
  const [person, stranger] = [await newPerson(), await newPerson()];
  let path;
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    const key = await createKey(page, goto, "Jobs");
    const created = await fetch(url("/v1/convert/html-to-pdf"), {
      method: "POST",
      headers: { ...authorization(key).headers, "content-type": "application/json" },
      body: JSON.stringify({ html: "<h1>Hello</h1>", renderMode: "basic", metadata: { note: "canary" } }),
    });
    assert.equal(created.status, 202);
    path = `/app/jobs/${(await created.json()).job.id}`;
    await goto(path);
    await page.locator("#progress .badge", { hasText: "completed" }).waitFor();
    assert.equal(await page.locator("#progress").getAttribute("hx-get"), null, "it asks no more");
    assert.deepEqual(await findings(page), []);
    assert.ok(!(await page.locator("#support-copy").innerText()).includes("canary"));
    const link = await page.getByRole("link", { name: "Download" }).getAttribute("href");
    const answer = await visitor.context.request.get(new URL(link, page.url()).href);
    assert.ok((await answer.body()).subarray(0, 5).equals(Buffer.from("%PDF-")));
    const statement = await page.getByRole("link", { name: "Signed statement" }).getAttribute("href");
    const receipt = await (await visitor.context.request.get(new URL(statement, page.url()).href)).json();
    assert.deepEqual([receipt.statement.status, receipt.statement.sources], ["completed", [{ kind: "html" }]]);
    const { keys } = await (await fetch(url("/.well-known/docmill-receipts.json"))).json();
    assert.equal(receipt.signature.keyId, keys[0].id);

    await goto("/app/jobs?status=completed");
    assert.match(await mainText(page), /HTML to PDF/);
    await goto("/app");
    assert.deepEqual(await findings(page), []);
    await eventually("the end of the job is counted", async () => {
      await goto("/app");
      return /1 completed, 0 failed/.test(await mainText(page));
    }, 150_000);
    await eventually("the end of the job is listed", async () => {
      await goto("/app/webhooks");
      return (await mainText(page)).includes("job.completed");
    });
  });
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, stranger);
    assert.equal((await visitor.goto(path)).status(), 404);
    assert.equal((await visitor.goto(`${path}/download`)).status(), 404);
  });
});

test("the signed sample is valid, and a changed one is not", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    await goto("/app/webhooks");
    await page.getByRole("button", { name: "Create a signed sample" }).click();
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Verify it here" }).click();
    await page.getByText("Valid", { exact: true }).waitFor();
    const body = page.getByLabel("Body");
    await body.fill((await body.inputValue()).replace("completed", "failed"));
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByText("The signature does not match").waitFor();
  });
});

/** A receiver of webhooks on this machine: its address, its requests, and what it answers next. */
async function receiver() {
  const received = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.push({ id: request.headers["webhook-id"], signature: request.headers["webhook-signature"], body });
    response.writeHead(here.status).end("noted");
  });
  const here = { received, status: 200, close: () => server.closeAllConnections() ?? server.close() };
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return Object.assign(here, { url: `http://127.0.0.1:${server.address().port}/hook` });
}

test("an endpoint is added, gets events, is disabled, enabled with what it missed, changed and deleted", async (t) => {
  const person = await newPerson();
  const hook = await receiver();
  t.after(hook.close);
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    const key = await createKey(page, goto, "Webhooks");
    const convert = () => fetch(url("/v1/convert/html-to-pdf"), {
      method: "POST",
      headers: { ...authorization(key).headers, "content-type": "application/json" },
      body: JSON.stringify({ html: "<p>x", options: { renderMode: "basic" } }),
    });
    await goto("/app/webhooks");
    await page.getByRole("link", { name: "Add an endpoint" }).click();
    await page.getByRole("textbox", { name: "URL" }).fill("http://elsewhere.example/");
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await page.locator("#url-error").waitFor();
    assert.match(await page.locator("#url-error").innerText(), /https URL/);
    assert.deepEqual(await findings(page), []);
    await page.getByRole("textbox", { name: "URL" }).fill("arn:aws:sqs:eu-central-1:111122223333:events");
    await page.getByRole("button", { name: "Add endpoint" }).click();
    assert.match(await page.locator("#roleArn-error").innerText(), /ARN of a role/);
    const policy = JSON.parse(await page.locator("#trust-policy").innerText()).Statement[0];
    assert.match(policy.Condition.StringEquals["sts:ExternalId"], /^docmill-[0-9a-f]{32}$/);
    const { deliveryRole } = await (await fetch(url("/.well-known/docmill-webhooks.json"))).json();
    assert.equal(policy.Principal.AWS, deliveryRole);
    assert.deepEqual(await findings(page), []);
    await page.getByRole("textbox", { name: "URL" }).fill(hook.url);
    await page.getByLabel("Name").fill("Orders");
    await page.getByLabel("job.completed").check();
    await page.getByRole("button", { name: "Add endpoint" }).click();
    assert.match(await page.locator("#secret").innerText(), /^whsec_/);
    assert.deepEqual(await findings(page), []);
    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("heading", { name: "Orders Active" }).waitFor();

    await convert();
    await eventually("the event arrives", async () => hook.received.length === 1);
    await eventually("the delivery is listed", async () => {
      await page.reload();
      return /Delivered/.test(await page.getByRole("region", { name: "Deliveries" }).innerText());
    });
    await page.locator("ul.events summary").first().click();
    assert.match(await mainText(page), /200/);
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Send again", exact: true }).click();
    await page.getByText("1 event is sent again.").waitFor();
    await eventually("it arrives again", async () => hook.received.length === 2);
    assert.equal(hook.received[1].id, hook.received[0].id);

    hook.status = 410;
    await convert();
    await eventually("the endpoint is disabled", async () => {
      await goto("/app");
      return /The webhook endpoint Orders is disabled/.test(await mainText(page));
    });
    hook.status = 200;
    await page.getByRole("link", { name: "Orders" }).click();
    await page.getByRole("button", { name: "Enable and resend failed events" }).click();
    await page.getByText("1 event is sent again.").waitFor();
    await eventually("what failed arrives", async () => hook.received.length === 4);

    await page.getByRole("link", { name: "Change", exact: true }).click();
    await page.getByLabel("Name").fill("Invoices");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The endpoint was changed.").waitFor();
    await page.getByRole("button", { name: "New secret" }).click();
    assert.match(await page.locator("#secret").innerText(), /^whsec_/);
    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the endpoint" }).click();
    await page.getByText("Invoices was deleted.").waitFor();
    assert.match(await mainText(page), /No endpoints yet/);
  });
});

test("jobs are found by a label, canceled and deleted", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    const key = await createKey(page, goto, "Search");
    const create = async (body) => {
      const headers = { ...authorization(key).headers, "content-type": "application/json" };
      const answer = await fetch(url("/v1/convert/html-to-pdf"), { method: "POST", headers, body: JSON.stringify(body) });
      const { job, requestId } = await answer.json();
      return { id: job.id, requestId };
    };
    const endless = await create({ html: "<p>x<script>for(;;){}</script>", metadata: { order: "Order-4711" } });
    const other = await create({ html: "<p>y", metadata: { order: "Order-4712" } });

    await goto("/app/jobs");
    await page.getByLabel("Search").fill("order-4711");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/search=order-4711/);
    assert.equal(await page.locator("tbody tr").count(), 1);
    assert.deepEqual(await findings(page), []);

    // By the id of the request that created it.
    await page.getByLabel("Search").fill(other.requestId);
    await page.getByRole("button", { name: "Filter" }).click();
    await page.locator(`tbody a[href$="${other.id}"]`).first().waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
    await goto(`/app/jobs/${other.id}`);
    assert.ok((await mainText(page)).includes(other.requestId));

    await goto(`/app/jobs/${endless.id}`);
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await page.getByText("The job was canceled.").first().waitFor();
    assert.match(await mainText(page), /1 charged, 1 refunded/);
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete the documents" }).click();
    await page.getByText("documents were deleted").first().waitFor();
    assert.doesNotMatch(await mainText(page), /order-4711/i, "nothing tells of the document");
    assert.deepEqual(await findings(page), []);
  });
});

test("usage is shown by tool and by key, as a chart and in numbers, and comes as CSV", async () => {
  const person = await newPerson();
  await withVisitor({ acceptDownloads: true }, async (visitor) => {
    const { page, goto } = visitor;
    await signIn(visitor, person);
    const key = await createKey(page, goto, "Night shift");
    const created = await fetch(url("/v1/convert/html-to-pdf"), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ html: "<p>counted" }),
    });
    assert.equal(created.status, 202);
    await eventually("the sweeper has counted the job", async () => {
      await goto("/app");
      return page.getByRole("region", { name: "Totals by tool" }).count();
    }, 150_000);
    assert.match(await page.getByRole("region", { name: "Totals by tool" }).innerText(), /HTML to PDF\s+1/);
    await page.getByRole("navigation", { name: "Stacked by" }).getByRole("link", { name: "By API key" }).press("Enter");
    assert.match(await page.getByRole("region", { name: "Totals by API key" }).innerText(), /Night shift\s+1/);
    assert.ok(await page.getByRole("img", { name: /^Jobs by day and API key/ }).isVisible());
    assert.deepEqual(await findings(page), []);

    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "by tool", exact: true }).click()]);
    assert.match(download.suggestedFilename(), /^usage-\d{4}-\d\d-by-tool\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
    assert.match(lines[0], /^toolSlug,created,/);
    assert.match(lines[1], /^html-to-pdf,1,/);
  });
});
