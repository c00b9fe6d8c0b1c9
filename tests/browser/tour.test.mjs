// A new user's tour without a manual: convert, merge sources of three kinds, redact a word with a box, chain four tools, and find
// the job again on a phone. Nobody types JSON, no page is loaded again, and every price is right.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { closeBrowser, findings, mainText, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const samples = process.env.SAMPLES_URL;
const article = fileURLToPath(new URL("../fixtures/pdf/text.pdf", import.meta.url));
const CONVERSION_MS = 120_000;

const button = (page) => page.locator("#playground [type=submit]");
const result = (page) => page.locator("#job-title", { hasText: /is ready$/ }).waitFor({ timeout: CONVERSION_MS });
/** What the button promises, and what the job costs. */
async function convert(page, price) {
  assert.match(await button(page).innerText(), new RegExp(`^Convert · ${price}$`));
  await button(page).click();
  await result(page);
  assert.match(await page.locator("#job .figures").innerText(), new RegExp(`Cost\\s+${price}( for|\\s|$)`));
}

/** Fails the journey if a page is loaded that nobody asked for. */
function countLoads(page) {
  let loads = 0;
  page.on("load", () => { loads += 1; });
  return () => loads;
}

async function play(tool, journey, options = {}) {
  const person = await newPerson();
  await withVisitor(options, async (visitor) => {
    await signIn(visitor, person, `/app/playground?tool=${tool}`);
    await visitor.page.waitForLoadState();
    const loads = countLoads(visitor.page);
    await journey(visitor, loads);
  });
}

test("sources of three kinds are merged in their order", async () => {
  await play("merge-pdf", async ({ page }, loads) => {
    await page.locator("#file").setInputFiles(article);
    await page.getByRole("button", { name: "Add HTML" }).click();
    await page.locator("#file-chosen textarea").fill("<h1>Appendix</h1>");
    await page.getByRole("button", { name: "Add a URL" }).click();
    await page.locator("#file-chosen input[type=url]").fill(`${samples}/small.docx`);
    await page.getByRole("button", { name: "Move up: source 2" }).click();
    assert.equal(await page.locator("#file-chosen textarea").inputValue(), "<h1>Appendix</h1>", "an entry keeps its text");
    await convert(page, "1 credit");
    assert.equal(loads(), 0);
    await page.goto(url(`/app/jobs/${await page.locator("#job").getAttribute("data-job")}`));
    const { sources } = JSON.parse(await page.locator("#request-echo").textContent()).input;
    assert.deepEqual(sources.map((source) => source.filename ?? (source.html ? "html" : source.sourceUrl.split("/").pop())), ["html", "text.pdf", "small.docx"]);
  });
});

test("a box that is drawn on the page is removed from the document", async () => {
  await play("redact-pdf", async ({ page }, loads) => {
    await page.locator("#file").setInputFiles(article);
    await page.getByRole("img", { name: "text.pdf, page 1 of 5" }).waitFor();
    const sheet = page.locator(".draw .sheet");
    await sheet.scrollIntoViewIfNeeded();
    const { x, y, width } = await sheet.boundingBox();
    await page.mouse.move(x + width / 4, y + 30);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + 90);
    await page.mouse.up();
    await page.locator(".draw .area").waitFor();
    const field = (part) => page.locator(`[name^="option.regions."][name$=".${part}"]`);
    assert.equal(await field("page").inputValue(), "1");
    const edges = await Promise.all([0, 1, 2, 3].map(async (index) => Number(await field(`box.${index}`).inputValue())));
    assert.ok(edges[0] < edges[2] && edges[1] < edges[3], `${edges}`);
    // A keyboard changes the same box.
    await field("box.2").fill(String(edges[2] + 20));
    const before = await page.locator(".draw .area").boundingBox();
    assert.ok(before.width > width / 4, JSON.stringify(before));
    // A second box is drawn and removed.
    await page.getByRole("button", { name: "Add to regions" }).click();
    await page.locator(".rows > li").last().getByRole("button", { name: "Remove" }).click();
    assert.equal(await field("page").count(), 1);
    await page.getByRole("button", { name: "Add to text" }).click();
    await page.locator('[name$=".literal"]').last().fill("pacem");
    await convert(page, "1 credit");
    assert.equal(loads(), 0);
    // What was proven can be shown to others.
    await page.getByRole("link", { name: "Certificate", exact: true }).click();
    await page.getByRole("heading", { name: "Certificate of redaction" }).waitFor();
    assert.match(await mainText(page), /SHA-256\s*[0-9a-f]{64}[\s\S]*Entry 1\s*\d+ occurrence[\s\S]*Objects searched\s*\d/);
    assert.deepEqual(await findings(page), []);
    const json = await page.getByRole("link", { name: "Download as JSON" }).getAttribute("href");
    const certificate = await (await page.context().request.get(new URL(json, page.url()).href)).text();
    assert.ok(!certificate.includes("pacem") && JSON.parse(certificate).redaction.proof.pagesExtracted > 0, certificate);
  });
});

test("four tools in a chain cost their sum, and the job is found on a phone with its steps and files", async () => {
  await play("html-to-pdf", async ({ page, goto }, loads) => {
    await page.getByLabel("HTML", { exact: true }).first().check();
    await page.getByRole("textbox", { name: "HTML", exact: true }).fill('<h1>One</h1><h1 style="break-before:page">Two</h1>');
    await page.getByText("Further steps", { exact: true }).click();
    for (const [number, tool] of [[2, "compress-pdf"], [3, "watermark-pdf"], [4, "pdf-to-images"]]) {
      const menu = page.getByLabel(`Step ${number}`, { exact: true });
      const offered = await menu.locator("option").evaluateAll((options) => options.map(({ value }) => value));
      assert.ok(offered.includes(tool) && !offered.includes("html-to-pdf") && !offered.includes("compare-documents"), `${offered}`);
      await menu.selectOption(tool);
      await page.getByLabel(`Step ${number + 1}`, { exact: true }).waitFor({ state: "attached" });
    }
    await page.locator('[name="step.1.option.text"]').fill("DRAFT");
    await page.locator("#playground [type=submit]", { hasText: "4 credits" }).waitFor();
    await page.getByLabel("Test: free").check();
    assert.equal(await button(page).innerText(), "Convert · free");
    await page.getByLabel("Live: failed jobs are free").check();
    await convert(page, "4 credits");
    const top = await page.locator("#job-title").evaluate((title) => title.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 844, `the result is in view, at ${top}`);
    assert.equal(loads(), 0);
    await page.locator("#job .job-id a").click();
    await page.getByRole("heading", { name: "Steps" }).waitFor();
    assert.deepEqual(await page.locator("ol.chain strong").allInnerTexts(), ["HTML to PDF", "Compress PDF", "Watermark PDF", "PDF to images"]);
    const downloading = page.waitForEvent("download");
    await page.locator(".downloads a").nth(1).click();
    assert.match((await downloading).suggestedFilename(), /\.png$/);
    assert.deepEqual(JSON.parse(await page.locator("#request-echo").textContent()).then.map(({ toolSlug }) => toolSlug), ["compress-pdf", "watermark-pdf", "pdf-to-images"]);
    assert.deepEqual(JSON.parse(await page.locator("#support-copy").textContent()).then.length, 3);
    await goto("/app/jobs?mode=live");
    assert.match(await page.locator("#job-rows").innerText(), /HTML to PDF → Compress PDF → Watermark PDF → PDF to images[\s\S]*(just now|min ago)/);
    const exported = await page.context().request.get(url("/app/jobs/export.csv?mode=live"));
    assert.match(await exported.text(), /^id,name,status[\s\S]*html-to-pdf compress-pdf watermark-pdf pdf-to-images,live/);
    await goto("/app/jobs?mode=test");
    await page.getByText("No jobs match these filters.").waitFor();
    await goto("/app/jobs");
    await page.locator("#job-rows [type=checkbox]").first().check();
    await page.getByRole("button", { name: "Delete chosen jobs" }).click();
    await page.getByRole("button", { name: "Delete the documents" }).click();
    await page.getByText("The documents of 1 job were deleted.").waitFor();
  }, { viewport: { width: 390, height: 844 } });
});

test("a job is canceled without leaving the page", async () => {
  await play("html-to-pdf", async ({ page }, loads) => {
    await page.getByLabel("HTML", { exact: true }).first().check();
    await page.getByRole("textbox", { name: "HTML", exact: true }).fill("<script>for (const end = Date.now() + 60000; Date.now() < end;);</script>");
    await button(page).click();
    await page.locator("#job").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Canceled" }).waitFor({ timeout: CONVERSION_MS });
    assert.equal(loads(), 0);
  });
});

test("a form that the end of the session interrupts is there again after signing in", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, context } = visitor;
    await signIn(visitor, person, "/app/playground?tool=html-to-pdf");
    await page.getByLabel("HTML", { exact: true }).first().check();
    await page.getByRole("textbox", { name: "HTML", exact: true }).fill("<h1>Kept</h1>");
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel("Step 2", { exact: true }).selectOption("compress-pdf");
    await page.getByLabel("Step 3", { exact: true }).waitFor();
    const session = (await context.cookies()).filter(({ name }) => /session/i.test(name));
    assert.ok(session.length > 0);
    await context.clearCookies({ name: session[0].name });
    await button(page).click();
    // The issuer may still know them.
    await page.getByLabel("Username").or(page.getByText("your entries are back")).waitFor();
    if (await page.getByLabel("Username").count()) {
      await page.getByLabel("Username").fill(person.email);
      await page.getByLabel("Password").fill(person.password);
      await page.getByRole("button", { name: "Sign in" }).click();
    }
    await page.getByText("your entries are back").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "HTML", exact: true }).inputValue(), "<h1>Kept</h1>");
    assert.equal(await page.getByLabel("Step 2", { exact: true }).inputValue(), "compress-pdf");
  });
});
