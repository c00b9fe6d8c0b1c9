// The documentation: guides, tools, endpoints and errors, by navigation, by search and without scripts.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, mainText, newVisitor, url, withVisitor } from "./support.mjs";

after(closeBrowser);

test("a tool's page has every option with its type, default and limits", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs");
    await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "HTML to PDF" }).click();
    await page.waitForURL(url("/docs/tools/html-to-pdf"));
    const options = page.getByRole("region", { name: "Options" });
    const row = (name) => options.getByRole("row").filter({ has: page.locator("th", { hasText: new RegExp(`^${name}(?![\\w.[])`) }) }).innerText();
    assert.match(await row("scale"), /number, 0\.1–2\. Default: 1/);
    assert.match(await row("pageRange"), /1-3,8,z/);
    assert.match(await row("renderMode"), /basic · browser\. Default: browser/);
    for (const name of ["headerHtml", "waitFor", "marginTop", "tagged"]) assert.ok(await row(name), name);
  });
});

test("an example is in every language, and the choice is kept", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/first-conversion");
    const shown = () => page.locator(".code-tab:not([hidden]) code").innerText();
    assert.match(await shown(), /curl [\s\S]*\/v1\/convert\/html-to-pdf/);
    await page.getByRole("tab", { name: "Python" }).click();
    assert.match(await shown(), /from docmill import Docmill/);
    await page.keyboard.press("ArrowRight");
    assert.match(await shown(), /await docmill\.run/);
    await goto("/docs/tools/office-to-pdf");
    assert.equal(await page.getByRole("tab", { selected: true }).innerText(), "TypeScript");
    await goto("/docs/first-conversion");
    assert.ok((await mainText(page)).includes(`export DOCMILL_URL=${url("")}`), "the address of this very API");
  });
});

test("code has colors, and is copied as plain text", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/tools/office-to-pdf");
    await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; });
    await page.getByRole("tab", { name: "curl" }).click();
    const box = page.locator(".code-tab:not([hidden])");
    const colors = await box.locator("code span").evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size);
    assert.ok(colors >= 3, `${colors} colors`);
    await box.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const text = await (await fetch(url("/docs/tools/office-to-pdf.md"))).text();
    assert.ok(text.includes(`\n${await page.evaluate(() => globalThis.copied)}\n`), "the code of the page in Markdown");
  });
});

test("the search finds options, errors and sections by keyboard", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/errors/rate_limited");
    assert.match(await mainText(page), /429[\s\S]*Retry-After[\s\S]*"rate_limited"/);
    await page.keyboard.press("/");
    await page.keyboard.type("pageRange");
    await page.locator("#search-results a").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/tools\/[a-z-]+#options\.pageRange$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zzzz");
    await page.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#search-results").isVisible(), false);
  });
});

test("the search understands questions and words with a typo", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs");
    for (const [wanted, title] of [["how to merge", "Merge PDF"], ["webhok", "Webhooks"], ["merge docx", "Merge PDF"], ["max file size", "Limits"], ["price", "Plans and prices"], ["gdpr", "Privacy"], ["docker", "Privacy"], ["concurrency", "Limits"], ["word to pdf", "Office to PDF"], ["wholeWords", "text"]]) {
      await page.locator("#search").fill(wanted);
      await page.locator("#search-results a", { hasText: title }).first().waitFor();
    }
    for (const [wanted, first] of [["accessibility", /Make PDFs accessible|Check accessibility/], ["max file size", /^Size of files[^]*Limits/]]) {
      await page.locator("#search").fill(wanted);
      await page.locator("#search-results li:first-child a", { hasText: first }).waitFor();
    }
  });
});

test("the sidebar shows and marks the page, also that of a group", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/errors/wrong_password");
    const here = page.locator(".docs-side [aria-current]").first();
    const [entry, side] = [await here.boundingBox(), await page.locator(".docs-side").boundingBox()];
    assert.ok(entry.y >= side.y && entry.y + entry.height <= side.y + side.height, "the entry is in view");
    await goto("/docs/api");
    assert.equal(await page.locator(".docs-side [aria-current]").innerText(), "API reference");
  });
});

test("an endpoint's page has request and response beside the text, and the job on a page of its own", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/api/get-job");
    const boxes = page.locator(".endpoint-columns > *");
    const [code, text] = [await boxes.nth(0).boundingBox(), await boxes.nth(1).boundingBox()];
    assert.ok(code.x > text.x + text.width / 2, "side by side");
    assert.match(await page.locator("#request-code").innerText(), /curl [\s\S]*\/v1\/jobs\/\$JOB_ID/);
    assert.match(await page.locator("#response-code").innerText(), /"job"/);
    await page.getByText("Properties", { exact: true }).first().click();
    await page.getByRole("link", { name: "The job object" }).last().click();
    await page.waitForURL(url("/docs/api/job-object"));
    assert.match(await mainText(page), /waitingFor[\s\S]*warnings/);
    assert.ok(await page.getByRole("navigation", { name: "On this page" }).isVisible());
  });
});

test("an unknown address is a page for people, and any page is there as Markdown", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    const answer = await goto("/docs/tools/none");
    assert.equal(answer.status(), 404);
    assert.match(await mainText(page), /We couldn't find that page/);
    await goto("/docs/webhooks");
    const markdown = await page.getByRole("link", { name: "View as Markdown" }).getAttribute("href");
    const text = await (await fetch(new URL(markdown, page.url()))).text();
    assert.match(text, /^# Webhooks/);
    assert.equal((await page.locator("meta[name=description]").getAttribute("content")).includes("#"), false);
  });
});

test("everything can be read without scripts", async () => {
  const visitor = await newVisitor({ javaScriptEnabled: false });
  await visitor.goto("/docs/first-conversion");
  for (const language of ["curl", "Command line", "Python", "TypeScript", "Go", "Rust"]) {
    assert.ok(await visitor.page.getByText(language, { exact: true }).first().isVisible(), language);
  }
  await visitor.page.getByRole("link", { name: "Next" }).click();
  assert.equal(await visitor.page.getByRole("heading", { level: 1 }).innerText(), "Authentication");
  await visitor.close();
});
