// Each tool of the catalogue in use: real files are dropped in the playground and converted, and the result is checked. A tool
// without a journey fails.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { after, before, test } from "node:test";
import { administer, closeBrowser, drop, eventually, mainText, newPerson, newVisitor, signIn, url } from "./support.mjs";

const CONVERSION_MS = 180_000;
const root = new URL("../../", import.meta.url);

/** A file of the repository, as it is dropped. */
const file = (path, type = "") => async () => ({ name: basename(path), type, content: await readFile(new URL(path, root)) });
const pdf = (path) => file(`tests/fixtures/pdf/${path}`, "application/pdf");
const written = (name, type, text) => async () => ({ name, type, content: Buffer.from(text) });
const html = (name, text) => written(name, "text/html", text);

const document = file("samples/small.docx");
const article = pdf("text.pdf");
const signingKey = await readFile(new URL("functions/worker/pdf/signatures/tests/fixtures/keys/p256.p12", root), "base64");
const signed = file("functions/worker/pdf/signatures/tests/fixtures/approval.pdf", "application/pdf");

let visitor, page, key;
before(async () => {
  visitor = await newVisitor();
  page = visitor.page;
  await signIn(visitor, await newPerson());
  const account = await page.locator("details.person code").textContent();
  ({ key: { secret: key } } = await administer("key", "create", "--account", account, "--name", "Tools"));
});
after(async () => {
  await visitor.close();
  await closeBrowser();
});

/** What another tool makes of the result of the job that the page shows. */
async function made(tool, options = {}) {
  const jobId = await page.locator("#job").getAttribute("data-job");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const created = await fetch(url(`/v1/tools/${tool}/jobs`), { method: "POST", headers, body: JSON.stringify({ jobId, options }) });
  let { job, ...answer } = await created.json();
  assert.equal(created.status, 202, JSON.stringify(answer));
  await eventually(`${tool} has ended`, async () => {
    ({ job } = await (await fetch(url(`/v1/jobs/${job.id}?wait=20`), { headers })).json());
    return ["completed", "failed"].includes(job.status);
  }, CONVERSION_MS);
  assert.equal(job.status, "completed", JSON.stringify(job.error));
  const { download } = await (await fetch(url(`/v1/jobs/${job.id}/download`), { headers })).json();
  return (await fetch(download.url)).text();
}

const text = async () => (await made("pdf-to-text")).replace(/\s+/g, " ");
const facts = async () => JSON.parse(await made("inspect-document"));

/** The bytes of the result, by the page's own link. */
async function bytes() {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  return readFile(await download.path());
}

/** The size of each picture that the page shows, which has more than one color. */
async function pictures(count) {
  const shown = page.locator(".picture img, .pictures img");
  await shown.nth(count - 1).waitFor();
  return shown.evaluateAll((images) => Promise.all(images.map(async ({ src }) => {
    const picture = await createImageBitmap(await (await fetch(src)).blob());
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    if (!data.some((value, index) => value !== data[index % 4])) throw new Error(`${src} has one color`);
    return [picture.width, picture.height];
  })));
}

/** Chooses options by their labels: texts are filled in, lists chosen from, boxes ticked. */
async function choose(options) {
  await page.locator("details.options").first().evaluate((details) => { details.open = true; });
  await fill("option", options);
}

async function fill(parent, values) {
  for (const [own, value] of Object.entries(values)) {
    const name = `${parent}.${own}`;
    const list = page.locator(`fieldset.list[id="${name}"]`);
    if (await list.count() > 0) {
      await addRows(list, Array.isArray(value) ? value : Object.entries(value).map(([name, value]) => ({ name, value })));
      continue;
    }
    const field = page.locator(`[name="${name}"]`);
    if (typeof value === "object" && await field.count() === 0) {
      await fill(name, value);
      continue;
    }
    const kind = await field.evaluate(({ tagName, type }) => (type === "checkbox" ? type : tagName));
    if (kind === "SELECT") await field.selectOption(value);
    else if (kind === "checkbox") await field.check();
    else await field.fill(typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** Adds a row for each of these entries, and fills in its fields. */
async function addRows(list, entries) {
  for (const entry of entries) {
    await list.locator("[data-add]").click();
    for (const [part, value] of Object.entries(entry)) await list.locator("ol.rows > li").last().locator(`[name$=".${part}"]`).fill(value);
  }
}

/** A scan: a picture of a page with these words. */
async function scan(words) {
  const place = await newVisitor({ viewport: { width: 800, height: 400 } });
  await place.page.setContent(`<body style="font: 48px serif; background: white">${words}`);
  const content = await place.page.screenshot();
  await place.close();
  return { name: "scan.png", type: "image/png", content };
}

/** For each tool: what is dropped, the options, and what the result must have. */
const journeys = {
  "compare-documents": {
    files: [html("before.html", "<p>The price is 100 euros"), html("after.html", "<p>The price is 200 euros")],
    async see() { assert.match(await text(), /100[\s\S]*200/); },
  },
  "compress-pdf": {
    files: [pdf("pictures.pdf")],
    async see() {
      assert.ok((await bytes()).length < (await pdf("pictures.pdf")()).content.length);
      assert.match(await text(), /中國知識份子的邊緣化/);
    },
  },
  "convert-office": {
    files: [document], options: { format: "odt" },
    async see() { assert.match(await made("convert-office", { format: "txt" }), /Small doc\s+Amet aliqua/); },
  },
  "edit-metadata": {
    files: [article, file("tests/fixtures/invoices/en16931.xml", "text/xml")],
    options: { set: { title: "Set by a journey" }, facturX: { level: "en16931" } },
    async see() {
      const { metadata, pdfa, attachments } = await facts();
      assert.deepEqual([metadata.title, pdfa, attachments.map(({ name }) => name)], ["Set by a journey", "3b", ["factur-x.xml"]]);
    },
  },
  "email-to-pdf": {
    files: [file("tests/fixtures/email/figures.eml")], options: { attachments: "embed" },
    async see() {
      assert.match(await text(), /Quarterly figures – Größe & 数字[\s\S]*Jörg Müller[\s\S]*revenue rose by 12/);
      assert.ok((await facts()).attachments.length > 0);
    },
  },
  "pdf-to-office": {
    files: [pdf("text.pdf")],
    async see() {
      assert.equal(String((await bytes()).subarray(0, 2)), "PK");
    },
  },
  "extract-document": {
    files: [document],
    async see() {
      const { blocks } = JSON.parse(String(await bytes()));
      assert.ok(blocks.some(({ role, text }) => role === "paragraph" && text.includes("Amet aliqua")), JSON.stringify(blocks));
    },
  },
  "fill-form": {
    files: [pdf("forms.pdf")], options: { fields: { Listbox_SingleSelectLastSelected: "Quebec" } },
    async see() {
      const { form } = await facts();
      assert.equal(form.fields.find(({ name }) => name === "Listbox_SingleSelectLastSelected").value, "Quebec");
    },
  },
  "flatten-pdf": {
    files: [pdf("forms.pdf")],
    async see() {
      assert.equal((await facts()).form, null);
      assert.match(await text(), /Saskatchewan/);
    },
  },
  "html-to-image": {
    files: [html("card.html", "<h1>A card</h1>")], options: { format: "jpeg" },
    async see() {
      const [[width]] = await pictures(1);
      assert.ok(width >= 800, `${width}`);
    },
  },
  "html-to-pdf": {
    files: [html("page.html", "<h1>By a file</h1>")], options: { landscape: true },
    async see() {
      assert.match(await text(), /By a file/);
      const [{ width, height }] = (await facts()).pages;
      assert.ok(width > height);
    },
  },
  "images-to-pdf": {
    files: [file("tests/fixtures/office/photo.jpg"), () => scan("Second")],
    async see() {
      const { pageCount, images } = await facts();
      assert.deepEqual([pageCount, images.length], [2, 2]);
    },
  },
  "inspect-document": {
    files: [article],
    async see() {
      const said = JSON.parse(await page.locator(".viewer.text pre").innerText());
      assert.deepEqual([said.format, said.pageCount], ["pdf", 5]);
    },
  },
  "verify-signatures": {
    files: [signed],
    async see() {
      const said = JSON.parse(await page.locator(".viewer.text pre").innerText());
      assert.deepEqual([said.signatures[0].intact, said.signatures[0].subIndication], [true, "NO_CERTIFICATE_CHAIN_FOUND"]);
    },
  },
  "sign-pdf": {
    files: [article], options: { key: { pkcs12: signingKey, password: "secret" }, reason: "Approved" },
    async see() {
      await text();
      const said = (await bytes()).toString("latin1");
      assert.ok(said.includes("/ETSI.CAdES.detached") && said.includes("(Approved)"));
    },
  },
  "check-accessibility": {
    files: [article],
    async see() {
      const said = JSON.parse(await page.locator(".viewer.text pre").innerText());
      assert.deepEqual([said.standard, said.passed], ["PDF/UA-1", false]);
    },
  },
  "read-invoice": {
    files: [file("samples/invoice.xml", "text/xml")],
    async see() {
      const said = JSON.parse(await page.locator(".viewer.text pre").innerText());
      assert.deepEqual([said.syntax, said.invoice.totals.payable], ["ubl-invoice", "307.50"]);
    },
  },
  "validate-invoice": {
    files: [file("samples/invoice.xml", "text/xml")],
    async see() {
      const said = JSON.parse(await page.locator(".viewer.text pre").innerText());
      assert.deepEqual([said.valid, said.invoice.number], [true, "2026-0009"]);
    },
  },
  "markdown-to-pdf": {
    files: [written("notes.md", "text/markdown", "# Notes\n\n- once\n- second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")],
    async see() {
      const said = await text();
      assert.match(said, /Notes[\s\S]*once[\s\S]*second/);
      assert.ok(!said.includes("#") && !said.includes("|"), said);
    },
  },
  "merge-pdf": {
    files: [document, article],
    async see() {
      assert.match(await text(), /Small doc[\s\S]*Iniquissimam pacem/);
      assert.ok((await facts()).pageCount > 5);
    },
  },
  "ocr-pdf": {
    files: [() => scan("Invoice 4711 of November")],
    async see() { assert.match(await text(), /Invoice 4711 of November/); },
  },
  "office-to-pdf": {
    files: [document],
    async see() { assert.match(await text(), /Small doc Amet aliqua/); },
  },
  "organize-pdf": {
    files: [article], options: { pages: "3,1" },
    async see() { assert.equal((await facts()).pageCount, 2); },
  },
  "pdf-to-images": {
    files: [article],
    async see() {
      const sizes = await pictures(5);
      assert.ok(sizes.length === 5 && sizes.every(([width, height]) => width > 500 && height > width), `${sizes}`);
    },
  },
  "tag-pdf": {
    files: [article], options: { ocr: "never", existing: "replace" },
    async see() { assert.match(await text(), /Iniquissimam pacem/); },
  },
  "pdf-to-pdfa": {
    files: [article], options: { level: "3b" },
    async see() {
      const { pdfa, fonts } = await facts();
      assert.equal(pdfa, "3b");
      assert.ok(fonts.length > 0 && fonts.every(({ embedded }) => embedded), JSON.stringify(fonts));
      assert.match(await text(), /Iniquissimam pacem/);
    },
  },
  "pdf-to-text": {
    files: [article],
    async see() { await page.locator(".viewer.text pre", { hasText: "Iniquissimam pacem" }).waitFor(); },
  },
  "protect-pdf": {
    files: [article], options: { userPassword: "open sesame" },
    async see() {
      await page.getByText("This PDF asks for a password").waitFor();
      assert.ok((await bytes()).includes("/Encrypt"));
    },
  },
  "render-template": {
    files: [html("letter.html", "<p>Dear {name}: {#items}{.}; {/items}</p>")], options: { data: { name: "Ada", items: ["tea", "salt"] } },
    async see() { assert.equal(String(await bytes()), "<p>Dear Ada: tea; salt; </p>"); },
  },
  "redact-pdf": {
    files: [pdf("layouts/table-plain.pdf")], options: { text: [{ literal: "Price" }] },
    async see() {
      const said = await text();
      assert.match(said, /Travel Times[\s\S]*Minutes/);
      assert.doesNotMatch(said, /Price/);
    },
  },
  "split-pdf": {
    files: [article],
    async see() {
      const names = await page.locator(".downloads").getByRole("link").evaluateAll((links) => links.map((link) => link.ariaLabel));
      assert.deepEqual(names, [1, 2, 3, 4, 5].map((number) => `Download text-${number}.pdf`));
    },
  },
  "thumbnail": {
    files: [document], options: { width: "200", height: "200" },
    async see() {
      const [size] = await pictures(1);
      assert.equal(Math.max(...size), 200);
    },
  },
  "unlock-pdf": {
    files: [pdf("encrypted.pdf")], options: { password: "test_user" },
    async see() {
      assert.equal((await facts()).encryption, null);
      assert.match(await text(), /Encrypted PDF/);
    },
  },
  "watermark-pdf": {
    files: [article], options: { text: "DRAFT" },
    async see() { assert.equal((await text()).match(/DRAFT/g)?.length, 5); },
  },
};

const { tools } = await (await fetch(url("/v1/tools"), { headers: { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}` } })).json();

test("there is a journey for each tool", () => {
  assert.deepEqual(Object.keys(journeys).sort(), tools.map(({ slug }) => slug).sort());
});

for (const { slug } of tools.filter(({ slug }) => journeys[slug])) {
  test(slug, async () => {
    const { files, options = {}, see } = journeys[slug];
    await visitor.goto(`/app/playground?tool=${slug}`);
    await drop(page.locator(".drop"), await Promise.all(files.map((each) => each())));
    await choose(options);
    await page.getByRole("button", { name: "Convert" }).click();
    const end = page.locator("#job h2", { hasText: /is ready|failed/ });
    await end.or(page.locator("#playground [role=alert], [data-invalid] .error").first()).waitFor({ timeout: CONVERSION_MS });
    assert.match(await page.locator("#result h2").allInnerTexts().then(String), /is ready/, await mainText(page));
    await see();
  });
}
