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
    const row = (name) => options.getByRole("row").filter({ has: page.locator("th", { hasText: new RegExp(`^${name}\\b`) }) }).innerText();
    assert.match(await row("scale"), /number, 0\.1–2\s+1/);
    assert.match(await row("pageRange"), /1-3,5/);
    assert.match(await row("renderMode"), /basic · browser\s+browser/);
    for (const name of ["headerHtml", "waitFor", "marginTop", "tagged"]) assert.ok(await row(name), name);
  });
});

test("an example is in four languages, and the choice is kept", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/docs/first-conversion");
    const shown = () => page.locator(".code-tab:not([hidden]) code").innerText();
    assert.match(await shown(), /^curl .*\/v1\/convert\/office-to-pdf/);
    await page.getByRole("tab", { name: "Python" }).click();
    assert.match(await shown(), /import json, os, urllib/);
    await page.keyboard.press("ArrowRight");
    assert.match(await shown(), /await fetch/);
    await goto("/docs/tools/office-to-pdf");
    assert.equal(await page.getByRole("tab", { selected: true }).innerText(), "TypeScript");
    await goto("/docs/first-conversion");
    assert.ok((await mainText(page)).includes(`export DOCMILL_URL=${url("")}`), "the address of this very API");
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
    await page.keyboard.press("/");
    await page.keyboard.type("zzzz");
    await page.getByText("No results.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#search-results").isVisible(), false);
  });
});

test("everything can be read without scripts", async () => {
  const visitor = await newVisitor({ javaScriptEnabled: false });
  await visitor.goto("/docs/first-conversion");
  for (const language of ["curl", "Python", "TypeScript", "Rust"]) {
    assert.ok(await visitor.page.getByText(language, { exact: true }).first().isVisible(), language);
  }
  await visitor.page.getByRole("link", { name: "Next" }).click();
  assert.equal(await visitor.page.getByRole("heading", { level: 1 }).innerText(), "Authentication");
  await visitor.close();
});
