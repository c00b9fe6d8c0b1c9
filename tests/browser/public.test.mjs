// Public pages: their content, and that they need no sign-in.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, mainText, url, withVisitor } from "./support.mjs";

after(closeBrowser);

test("the homepage and the menu lead to a tool, its options and a command to copy", async () => {
  await withVisitor({}, async ({ page, goto, context }) => {
    await goto("/");
    assert.match(await mainText(page), /One request[\s\S]*curl -sSL --fail-with-body -o result\.pdf [\s\S]*\/v1\/convert\/html-to-pdf/);
    const prices = (await mainText(page)).match(/1 credit per document/g);
    assert.equal(prices.length, 1, "the usual price is named once");
    assert.ok(await page.getByRole("img", { name: /Invoice 4711/ }).isVisible(), "the result beside the request");
    assert.ok(await page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Plans" }).isVisible());
    const menu = page.getByRole("navigation", { name: "Site" });
    await menu.getByText("Tools", { exact: true }).click();
    assert.equal(await menu.getByText("Organize", { exact: true }).count(), 1, "tools are grouped by category");
    await menu.getByRole("link", { name: "HTML to PDF" }).click();
    await page.waitForURL(url("/tools/html-to-pdf"));
    const text = await mainText(page);
    for (const said of ["1 credit per document", "pageSize", "Letter", "renderMode", `export DOCMILL_URL=${url("")}`, "/v1/convert/html-to-pdf"]) {
      assert.ok(text.includes(said), `${said} in ${text}`);
    }
    assert.equal((await context.cookies()).length, 0, "a guest is given no cookie");
  });
});

test("categories list their tools, and unknown pages are 404 with links to continue", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/tools");
    await page.getByRole("main").getByRole("link", { name: "Office", exact: true }).click();
    await page.waitForURL(url("/tools/category/office"));
    const text = await mainText(page);
    assert.ok(text.includes("Office to PDF") && !text.includes("HTML to PDF"), text);
    for (const path of ["/tools/no-such-tool", "/tools/category/nothing", "/tools/a/b"]) {
      const answer = await goto(path);
      assert.equal(answer.status(), 404, path);
      assert.match(await mainText(page), /Page not found/);
      assert.ok(await page.getByRole("link", { name: "Go to the homepage" }).isVisible());
    }
  });
});

test("every page has a strict policy and loads nothing from other hosts", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    const elsewhere = [];
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(url("/")).origin) elsewhere.push(request.url());
    });
    const answer = await goto("/");
    const policy = answer.headers()["content-security-policy"];
    assert.ok(policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self';"), policy);
    assert.ok(!policy.includes("unsafe"), policy);
    const made = await page.evaluate(() => {
      try {
        document.createElement("p").innerHTML = "<img>";
        return "HTML";
      } catch (error) {
        return error.name;
      }
    });
    assert.equal(made, "TypeError", "no script makes HTML of text");
    assert.equal(answer.headers()["x-content-type-options"], "nosniff");
    assert.deepEqual(elsewhere, []);
    const fontSize = await page.getByRole("heading", { level: 1 }).evaluate((heading) => getComputedStyle(heading).fontSize);
    assert.ok(parseFloat(fontSize) > 30, "the sheet is loaded");
  });
});

test("a chosen theme is kept, holds in the documentation too, and is there before the page is drawn", async () => {
  await withVisitor({ colorScheme: "light" }, async ({ page, goto }) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await goto("/");
    const light = await ground();
    await page.getByLabel("Theme").selectOption("dark");
    const dark = await ground();
    assert.notEqual(dark, light);
    // A script that the browser runs as soon as the document has a body, before it is drawn.
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.body) globalThis.firstGround ??= getComputedStyle(document.documentElement).colorScheme;
      }).observe(document, { childList: true, subtree: true });
    });
    for (const path of ["/docs", "/plans"]) {
      await goto(path);
      assert.equal(await ground(), dark, path);
      assert.equal(await page.evaluate(() => globalThis.firstGround), "dark", path);
    }
    await page.getByLabel("Theme").selectOption("system");
    assert.equal(await ground(), light);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await ground(), dark);
  });
});

test("crawlers and browsers find what they ask for at fixed addresses", async () => {
  const get = (path, headers = {}) => fetch(url(path), { headers });
  const robots = await (await get("/robots.txt")).text();
  assert.match(robots, /^User-agent: \*$/m);
  const sitemap = robots.match(/^Sitemap: (.*)$/m)[1];
  assert.equal(sitemap, url("/sitemap.xml"));
  const pages = [...(await (await fetch(sitemap)).text()).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, page]) => page);
  assert.ok(pages.includes(url("/tools/merge-pdf")) && pages.includes(url("/docs/tools/merge-pdf")));
  assert.ok(pages.includes(url("/docs/first-conversion")) && pages.includes(url("/docs/status")));
  for (const page of pages) assert.equal((await fetch(page)).status, 200, page);
  const icon = await get("/favicon.ico");
  assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/x-icon"]);
  assert.match(await (await get("/llms.txt")).text(), /^# Docmill$/m);
});
