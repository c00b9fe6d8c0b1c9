// The playground in use: files, addresses, HTML, errors, lost connections, reloads.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { closeBrowser, eventually, findings, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const samples = process.env.SAMPLES_URL;
const sample = fileURLToPath(new URL("../../samples/small.docx", import.meta.url));
const article = fileURLToPath(new URL("../fixtures/pdf/text.pdf", import.meta.url));
// Well above a cold start of LibreOffice or Chromium on a busy machine.
const CONVERSION_MS = 120_000;

// Slow enough to be polled more than once.
const slow = "<script>for (const end = Date.now() + 4000; Date.now() < end;);</script><p>slow</p>";

/** Runs `journey` as a person of its own in the playground of a tool. */
async function play(tool, journey) {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, `/app/playground?tool=${tool}`);
    await journey(visitor);
  });
}

const convert = (page) => page.getByRole("button", { name: "Convert" }).click();
const ready = (page) => page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
/** The field of an option of the second step, which is unfolded. */
async function step(page, option) {
  const field = page.locator(`[name="step.0.option.${option}"]`);
  await field.waitFor({ state: "attached" });
  await field.evaluate((element) => {
    for (let part = element; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  });
  return field;
}
const curl = async (page, text) => page.locator("#code", { hasText: text }).waitFor();
const job = (text) => text.match(/data-job="([^"]+)"/)[1];

/** Waits for a page of a PDF as a picture that is not all of one color, and gives its element. */
async function picture(page, name) {
  const canvas = page.getByRole("img", { name });
  await eventually(`${name} is drawn`, () => canvas.evaluate((element) => {
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    return element.width > 100 && data.some((value, index) => value !== data[index % 4]);
  }));
  return canvas;
}

async function writeHtml(page, html) {
  await page.getByLabel("HTML", { exact: true }).first().check();
  await page.getByRole("textbox", { name: "HTML", exact: true }).fill(html);
}

test("a file becomes a PDF to look at and to keep", async () => {
  await play("office-to-pdf", async ({ page, context }) => {
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(sample);
    await curl(page, "upload 'small.docx'");
    assert.match(await page.locator("#code").textContent(), /\/v1\/uploads[\s\S]*\$DOCMILL_KEY[\s\S]*-X PUT[\s\S]*"uploadId":"\$id0"/);
    await convert(page);
    await ready(page);
    await picture(page, "small.pdf, page 1 of ");
    const preview = await context.request.get(await page.locator("[data-pdf] .frame >> xpath=..").getAttribute("data-pdf"));
    assert.match(preview.headers()["content-disposition"], /^inline; filename="small\.pdf"/);
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download small.pdf" }).click();
    const bytes = await readFile(await (await downloading).path());
    assert.equal(bytes.subarray(0, 5).toString(), "%PDF-");
    assert.ok(bytes.equals(await preview.body()));
    // A repetition with other options needs no second upload.
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel("Page range").fill("1");
    const uploads = [];
    page.on("request", (request) => request.method() === "PUT" && uploads.push(request.url()));
    const first = page.url();
    await convert(page);
    await page.waitForURL((now) => now.href !== first);
    await ready(page);
    assert.deepEqual(uploads, []);
  });
});

test("an address and inline HTML become PDFs, with what they cost and how long they took", async () => {
  await play("office-to-pdf", async ({ page }) => {
    await page.getByLabel("A URL").check();
    await page.getByLabel("URL", { exact: true }).fill(`${samples}/small.docx`);
    await convert(page);
    await ready(page);
    assert.match(await page.locator("#job").innerText(), /1 credit[\s\S]*Converted in\s+[\d.]+ m?s/);
  });
  await play("html-to-pdf", async ({ page }) => {
    await writeHtml(page, "<h1>Hello</h1><img src='http://10.0.0.1/x.png'>");
    await page.getByLabel("Test: free").check();
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel(/^Page size/).selectOption("A5");
    await curl(page, '"pageSize":"A5"');
    await convert(page);
    await ready(page);
    const said = await page.locator("#job").innerText();
    assert.match(said, /Differences from the source[\s\S]*resource_(blocked|failed) [\s\S]*10\.0\.0\.1[\s\S]*no credits/);
  });
});

test("what is wrong is said beside its field, and everything stays filled in", async () => {
  await play("office-to-pdf", async ({ page }) => {
    await convert(page);
    await page.getByText("Choose a file.").waitFor();
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(sample);
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel("Page range").fill("3-");
    await page.getByLabel("Image quality").fill("101");
    await convert(page);
    await page.getByText("Must be at most 100.").waitFor();
    const range = page.getByLabel("Page range");
    assert.equal(await range.inputValue(), "3-");
    assert.equal(await range.evaluate((field) => document.getElementById(field.getAttribute("aria-describedby").split(" ")[0]).textContent),
      "Must be pages and ranges such as 1-3,8,z, counted from 1; z is the last page, r2 the one before it.");
    assert.ok(await range.evaluate((field) => field === document.activeElement), "the first wrong field has the focus");
    assert.match(await page.locator("#file-chosen").innerText(), /small\.docx/);
    await range.fill("1");
    await page.getByLabel("Image quality").fill("80");
    await convert(page);
    await ready(page);
  });
});

test("a job that fails says why and what to do, and costs nothing", async () => {
  await play("office-to-pdf", async ({ page }) => {
    await page.getByLabel("A URL").check();
    await page.getByLabel("URL", { exact: true }).fill("http://127.0.0.1:9/secret.docx");
    await convert(page);
    const alert = page.locator("#job").getByRole("alert");
    await alert.waitFor({ timeout: CONVERSION_MS });
    assert.match(await alert.innerText(), /does not fetch from port 9[\s\S]*source_forbidden[\s\S]*1 credit refunded/);
  });
});

test("a lost connection is said, and creates one job all the same", async () => {
  await play("html-to-pdf", async ({ page }) => {
    await writeHtml(page, slow);
    const created = [];
    // The first request takes effect, but its response is lost.
    await page.route(url("/app/playground"), async (route) => {
      const answer = await route.fetch();
      created.push(job(await answer.text()));
      await (created.length === 1 ? route.abort("internetdisconnected") : route.fulfill({ response: answer }));
    });
    let polls = 0;
    await page.route(`${url("/app/playground/jobs/")}*`, (route) => (polls++ < 2 ? route.abort("internetdisconnected") : route.continue()));
    await convert(page);
    await page.getByText("The connection is lost.").waitFor();
    await ready(page);
    assert.equal(await page.getByText("The connection is lost.").isVisible(), false);
    assert.ok(polls > 2 && created.length === 2 && created[0] === created[1], `${polls} ${created}`);
    assert.equal(new URL(page.url()).searchParams.get("job"), created[0]);
  });
});

test("a page that is loaded again goes on with its job", async () => {
  await play("html-to-pdf", async ({ page }) => {
    await writeHtml(page, slow);
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel(/^Page size/).selectOption("Legal");
    await convert(page);
    await page.waitForURL(/[?]job=/);
    await page.reload();
    await ready(page);
    assert.equal(await page.getByLabel(/^Page size/).inputValue(), "Legal");
  });
});

test("pages are turned one by one, and the viewer comes with the first result", async () => {
  await play("html-to-pdf", async ({ page }) => {
    const requests = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await writeHtml(page, '<h1>One</h1><h1 style="break-before:page">Two</h1>');
    assert.ok(!requests.some((path) => /viewer|pdf-/.test(path)), `nothing of the viewer before there is a result: ${requests}`);
    await convert(page);
    await ready(page);
    await picture(page, /page 1 of 2$/);
    await page.getByRole("button", { name: "Next page" }).click();
    await picture(page, /page 2 of 2$/);
    assert.equal(await page.locator(".viewer-bar output").innerText(), "Page 2 of 2");
    await page.getByRole("button", { name: "Zoom in" }).click();
    const frame = page.locator(".frame[data-zoomed]");
    await frame.waitFor();
    assert.ok(await frame.evaluate((element) => element.scrollWidth > 2 * element.clientWidth));
    assert.deepEqual(await findings(page), []);
  });
});

test("a protected result says why its pages are not shown", async () => {
  await play("html-to-pdf", async ({ page }) => {
    await writeHtml(page, "<h1>Secret</h1>");
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel(/^Step 2/).selectOption("protect-pdf");
    await (await step(page, "userPassword")).fill("open sesame");
    await convert(page);
    await ready(page);
    await page.getByText("This PDF asks for a password").waitFor();
  });
});

test("a compressed file is shown beside its source, with what was saved", async () => {
  await play("compress-pdf", async ({ page }) => {
    await page.locator("#file").setInputFiles(article);
    await convert(page);
    await ready(page);
    await picture(page, /^Before, page 1 of 5$/);
    await picture(page, /^After, page 1 of 5$/);
    assert.match(await page.locator("#job").innerText(), /Before\s+[\d.]+ [KM]iB\s+After\s+[\d.]+ [KM]iB\s+Saved\s+[\d.]+%/);
    await page.getByRole("button", { name: "Next page" }).click();
    const [before, after] = [await picture(page, /^Before, page 2 of 5$/), await picture(page, /^After, page 2 of 5$/)];
    const [left, right] = [await before.boundingBox(), await after.boundingBox()];
    assert.ok(left.x + left.width <= right.x && Math.abs(left.y - right.y) < 1, "side by side");
  });
});

test("text and JSON are shown as text", async () => {
  await play("pdf-to-text", async ({ page }) => {
    await page.locator("#file").setInputFiles(article);
    await convert(page);
    await page.getByRole("heading", { name: "Your result is ready" }).waitFor({ timeout: CONVERSION_MS });
    await page.locator(".viewer.text pre", { hasText: "Iniquissimam pacem" }).waitFor();
  });
  await play("inspect-document", async ({ page }) => {
    await page.locator("#file").setInputFiles(article);
    await convert(page);
    await page.getByRole("heading", { name: "Your result is ready" }).waitFor({ timeout: CONVERSION_MS });
    const text = await page.locator(".viewer.text pre").innerText();
    assert.ok(text.startsWith("{\n  ") && JSON.parse(text).pages, text);
  });
});

test("three tools in a chain show the pages as pictures", async () => {
  await play("merge-pdf", async ({ page }) => {
    const html = (text) => ({ name: `${text}.html`, mimeType: "text/html", buffer: Buffer.from(`<h1>${text}</h1>`) });
    await page.locator("#file").setInputFiles([html("first"), html("second")]);
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel(/^Step 2/).selectOption("compress-pdf");
    await page.getByLabel(/^Step 3/).selectOption("pdf-to-images");
    await convert(page);
    await page.getByRole("heading", { name: "Your result is ready" }).waitFor({ timeout: CONVERSION_MS });
    await page.waitForFunction(() => [...document.querySelectorAll(".pictures img")].filter((each) => each.naturalWidth > 100).length === 2);
  });
});

test("two versions of a document are shown side by side", async () => {
  await play("compare-documents", async ({ page }) => {
    const html = (name, text) => ({ name: `${name}.html`, mimeType: "text/html", buffer: Buffer.from(`<p>The price is ${text} euros`) });
    await page.locator("#file").setInputFiles([html("before", 100)]);
    await convert(page);
    await page.locator("#file-error", { hasText: "Choose 2 files." }).waitFor({ timeout: CONVERSION_MS });
    await page.locator("#file").setInputFiles([html("before", 100), html("after", 200)]);
    await convert(page);
    await ready(page);
    await picture(page, /page 1 of 1$/);
    assert.ok(!(await page.getByLabel(/^Step 2/).locator("option").allInnerTexts()).includes("Compare documents"));
  });
});

test("a file that was made smaller shows its size before and after", async () => {
  await play("html-to-pdf", async ({ page }) => {
    await writeHtml(page, `<h1>Long</h1>${"<p>text</p>".repeat(200)}`);
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel(/^Step 2/).selectOption("compress-pdf");
    await convert(page);
    await ready(page);
    assert.match(await page.locator("#job").innerText(), /Before\s+[\d.]+ KiB\s+After\s+[\d.]+ KiB\s+Saved\s+[\d.]+%/);
  });
});

/** Repeats the job that the page shows, by its own page. */
async function repeat({ page, goto }) {
  await goto(`/app/jobs/${await page.locator("#job").getAttribute("data-job")}`);
  await page.getByRole("link", { name: "Convert again" }).click();
  await page.getByText("This is an earlier job.").waitFor();
}

/** What the form says of a field. */
const said = (field) => field.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby").split(" ")[0]).textContent);

test("a repeated job asks for the secrets of its steps and for its content, which are not stored", async () => {
  await play("html-to-pdf", async (visitor) => {
    const { page } = visitor;
    await writeHtml(page, "<h1>Secret</h1>");
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel(/^Step 2/).selectOption("protect-pdf");
    const fill = async () => {
      for (const [name, text] of [["userPassword", "open sesame"], ["ownerPassword", "open barley"]]) await (await step(page, name)).fill(text);
    };
    await fill();
    await (await step(page, "permissions.copy")).uncheck();
    await convert(page);
    await ready(page);
    await repeat(visitor);
    const html = page.getByRole("textbox", { name: "HTML", exact: true });
    for (const field of [html, await step(page, "userPassword"), await step(page, "ownerPassword")]) {
      assert.deepEqual([await field.isVisible(), await said(field)], [true, "Not stored with the job. Enter it again."]);
    }
    assert.equal(await page.locator("[aria-invalid]").count(), 0, "nothing is wrong yet");
    assert.equal(await (await step(page, "permissions.copy")).isChecked(), false);
    assert.deepEqual(await findings(page), []);
    await html.fill("<h1>Again</h1>");
    await fill();
    const before = page.url();
    await convert(page);
    await page.waitForURL((now) => now.href !== before);
    await ready(page);
    await page.getByText("This PDF asks for a password").waitFor();
    assert.equal(await page.getByText("This is an earlier job.").count(), 0);
  });
});

test("a protected file is opened by its password, which a repeated job asks for", async () => {
  const locked = fileURLToPath(new URL("../fixtures/pdf/encrypted.pdf", import.meta.url));
  await play("pdf-to-text", async (visitor) => {
    const { page } = visitor;
    const result = () => page.locator(".viewer.text pre", { hasText: "Encrypted PDF" }).waitFor({ timeout: CONVERSION_MS });
    await page.locator("#file").setInputFiles(locked);
    await page.getByLabel("Password of a protected file").fill("test_user");
    await curl(page, "<secret>");
    assert.ok(!(await page.locator("#code").textContent()).includes("test_user"), "the code has no password");
    await convert(page);
    await result();
    await repeat(visitor);
    const password = page.getByLabel("Password of a protected file");
    assert.deepEqual([await said(password), await password.inputValue()], ["Not stored with the job. Enter it again.", ""]);
    assert.match(await page.locator("#file-chosen").innerText(), /, uploaded/);
    await password.fill("test_user");
    const before = page.url();
    await convert(page);
    await page.waitForURL((now) => now.href !== before);
    await result();
  });
});

test("the data of a template is a form", async () => {
  await play("render-template", async ({ page }) => {
    const template = "<h1>Hello {customer.name}</h1><ul>{#items}<li>{name}: {price | number}</li>{/items}</ul>{#paid}paid{/paid}";
    await page.locator("#file").setInputFiles({ name: "letter.html", mimeType: "text/html", buffer: Buffer.from(template) });
    await page.getByRole("button", { name: "Make a form of the template" }).click();
    const customer = page.getByRole("group", { name: "Customer" });
    await customer.getByLabel("Name").fill("Ada", { timeout: CONVERSION_MS });
    const items = page.getByRole("group", { name: "Items", exact: true });
    await items.getByLabel("Name").fill("tea");
    await items.getByLabel("Price").fill("2.5");
    await page.getByRole("button", { name: "Add to items" }).click();
    await items.getByLabel("Name").nth(1).fill("salt");
    await items.getByLabel("Price").nth(1).fill("1");
    await page.getByLabel("Paid").uncheck();
    await curl(page, '"name": "salt"');
    await convert(page);
    await page.getByRole("heading", { name: "Your result is ready" }).waitFor({ timeout: CONVERSION_MS });
    await page.locator("#result", { hasText: /Hello Ada[\s\S]*tea: 2\.5[\s\S]*salt: 1/ }).waitFor();
    await page.getByRole("button", { name: "Write JSON instead" }).click();
    const written = page.getByRole("textbox", { name: "Data" });
    await written.waitFor();
    assert.deepEqual(JSON.parse(await written.inputValue()), {
      customer: { name: "Ada" }, items: [{ name: "tea", price: 2.5 }, { name: "salt", price: 1 }], paid: false,
    });
    assert.deepEqual(await findings(page), []);
  });
});

test("the fields of a PDF's form are listed", async () => {
  await play("fill-form", async ({ page }) => {
    // The sample comes late, and what needs it waits.
    const { promise: held, resolve: release } = Promise.withResolvers();
    await page.route(/order-form/, (route) => held.then(() => route.continue()));
    await page.getByRole("button", { name: "order-form.pdf" }).click();
    await page.getByRole("button", { name: "List the form's fields" }).click();
    release();
    const fields = page.getByRole("group", { name: "Fields" });
    await fields.getByRole("textbox").first().fill("Ada Lovelace", { timeout: CONVERSION_MS });
    await convert(page);
    await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
    await page.getByText("1 field filled in").waitFor();
    await page.getByRole("button", { name: "Write names and values instead" }).click();
    await page.locator("input[value='Ada Lovelace']").waitFor();
    assert.deepEqual(await findings(page), []);
  });
});

test("a template with a mistake says so beside its form", async () => {
  await play("render-template", async ({ page }) => {
    const buffer = Buffer.from("<p>{name | uper} {city}</p>");
    await page.locator("#file").setInputFiles({ name: "letter.html", mimeType: "text/html", buffer });
    await page.getByRole("button", { name: "Make a form of the template" }).click();
    await page.getByRole("alert").filter({ hasText: "The template has a mistake." }).waitFor({ timeout: CONVERSION_MS });
    assert.equal(await page.getByLabel("City").inputValue(), "city");
  });
});

test("JSON that is broken says where, beside its field", async () => {
  await play("render-template", async ({ page }) => {
    await page.locator("#file").setInputFiles({ name: "letter.html", mimeType: "text/html", buffer: Buffer.from("<p>{name}</p>") });
    const data = page.getByRole("textbox", { name: "Data" });
    await data.fill('{"name":\n"Ada"');
    await convert(page);
    await page.getByText("This is not valid JSON: EOF while parsing an object at line 2 column 5.").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "the form has no second message");
    await data.fill('{"name": "Ada"}');
    await convert(page);
    await page.getByRole("heading", { name: "Your result is ready" }).waitFor({ timeout: CONVERSION_MS });
  });
});

test("what is missing is said at its field, in the words of the form", async () => {
  await play("redact-pdf", async ({ page }) => {
    await page.locator("#file").setInputFiles(article);
    await convert(page);
    await page.getByText("Give “Regions”, “Text” or both.").waitFor();
    assert.doesNotMatch(await page.locator("#playground").innerText(), /"options"/);
  });
});

test("a sample is converted by a person who has no file at hand", async () => {
  await play("office-to-pdf", async ({ page }) => {
    await page.getByRole("button", { name: "small.docx" }).click();
    await page.locator("#file-chosen", { hasText: "small.docx" }).waitFor();
    await convert(page);
    await ready(page);
    await picture(page, "small.pdf, page 1 of ");
  });
});
