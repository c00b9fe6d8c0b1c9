// The log of an account's requests: found by its filters, explained on a page of its own, and linked with jobs.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, eventually, findings, mainText, newPerson, people, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const headers = { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}`, "content-type": "application/json" };

async function send(method, path, body) {
  const response = await fetch(url(path), { method, headers, body: body && JSON.stringify(body) });
  return { id: response.headers.get("x-request-id"), status: response.status, body: await response.json() };
}

const rows = (page) => page.getByRole("region", { name: "Requests" }).locator("tbody tr");

test("a refused request is found, explained, and an accepted one leads to its job and back", async () => {
  const canary = `canary${Date.now()}`;
  const refused = await send("POST", "/v1/convert/html-to-pdf", { html: `<p>${canary}`, options: { pageSize: canary } });
  assert.equal(refused.status, 422);
  const created = await send("POST", "/v1/jobs", { toolSlug: "html-to-pdf", html: `<p>${canary}` });
  assert.equal(created.status, 202);
  const missing = await send("GET", `/v1/jobs/${crypto.randomUUID()}?secret=${canary}`);
  assert.equal(missing.status, 404);

  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.user, "/app/requests");
    await page.getByRole("link", { name: "Requests", exact: true }).first().waitFor();
    for (const { id } of [refused, created, missing]) {
      await eventually(`the request ${id} is listed`, async () => {
        await visitor.goto(`/app/requests?id=${encodeURIComponent(id)}`);
        return (await rows(page).count()) === 1;
      });
    }
    await visitor.goto("/app/requests");
    assert.deepEqual(await findings(page), []);
    await page.getByLabel("Status", { exact: true }).selectOption("4xx");
    await page.getByLabel("Path", { exact: true }).fill("/v1/convert/html-to-pdf");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/status=4xx/);
    const listed = await rows(page).allInnerTexts();
    assert.ok(listed.length > 0);
    assert.ok(listed.every((row) => /POST \/v1\/convert\/html-to-pdf\s+4\d\d/.test(row)), listed.join("\n"));

    await visitor.goto(`/app/requests?id=${encodeURIComponent(refused.id)}`);
    await rows(page).getByRole("link").click();
    await page.getByRole("heading", { level: 1, name: "POST /v1/convert/html-to-pdf" }).waitFor();
    const text = await mainText(page);
    assert.match(text, /422/);
    assert.match(text, /validation_failed/);
    assert.ok(text.includes(refused.id));
    assert.ok(!(await page.content()).includes(canary));
    assert.deepEqual(await findings(page), []);
    await page.getByRole("link", { name: "validation_failed" }).click();
    await page.getByRole("heading", { level: 1, name: "validation_failed" }).waitFor();

    await visitor.goto(`/app/jobs/${created.body.job.id}`);
    await page.getByRole("link", { name: created.id }).click();
    await page.getByRole("heading", { level: 1, name: "POST /v1/jobs" }).waitFor();
    await page.getByRole("link", { name: created.body.job.id }).click();
    await page.waitForURL(new RegExp(`/app/jobs/${created.body.job.id}$`));

    await visitor.goto(`/app/requests/${encodeURIComponent(missing.id)}`);
    assert.match(await mainText(page), /404[\s\S]*job_not_found/);
    assert.ok(!(await page.content()).includes(canary));
  });

  // Another account sees none of them.
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, await newPerson(), "/app/requests");
    assert.match(await mainText(visitor.page), /No requests yet/);
    const page = await visitor.page.goto(url(`/app/requests/${encodeURIComponent(refused.id)}`));
    assert.equal(page.status(), 404);
  });
});
