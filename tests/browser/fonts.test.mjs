// The account's fonts: added, viewed, used by a job and deleted. Refusals are shown in place.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { closeBrowser, drop, eventually, findings, mainText, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const fixture = (name) => fileURLToPath(new URL(`../fixtures/fonts/${name}`, import.meta.url));
const CONVERSION_MS = 120_000;
const FIELD = "Drop fonts here, or choose some";

/** Runs `journey` as a new person on the page of fonts. */
async function play(journey) {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, "/app/fonts");
    await journey(visitor);
  });
}

const outcome = (page, text) => page.locator("#outcomes li", { hasText: text }).waitFor();
const families = (page) => page.getByRole("region", { name: "Fonts" }).locator("tbody th").allInnerTexts();

/** Adds fonts by the field. */
async function add(page, ...names) {
  await page.getByLabel(FIELD).setInputFiles(names.map(fixture));
  await page.getByRole("button", { name: "Add", exact: true }).click();
}

test("fonts are added, and each that is refused says why while the others stay", async () => {
  await play(async ({ page }) => {
    assert.match(await mainText(page), /0 of 50 fonts[\s\S]*You have no fonts yet[\s\S]*Up to 20\.0 MiB each/);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Choose a font.").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "file");

    await add(page, "triangle.ttf", "locked.ttf", "pair.ttc", "make.py");
    await outcome(page, "triangle.ttf: added as Probe Triangle Regular");
    await outcome(page, "locked.ttf: The font's license does not allow embedding");
    await outcome(page, "pair.ttc: added as Probe Pair, 2 styles");
    await outcome(page, "make.py: This file format is not supported. Upload a TTF, OTF, TTC or WOFF2 file.");
    await page.getByText("2 of 50 fonts.").waitFor();
    assert.deepEqual(await families(page), ["Probe Triangle", "Probe Pair"]);
    assert.deepEqual(await findings(page), []);

    await drop(page.locator(".drop"), [{ name: "packed.woff2", content: await readFile(fixture("packed.woff2")) }]);
    await page.locator("#file-chosen", { hasText: "packed.woff2" }).waitFor();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await outcome(page, "packed.woff2: added as Probe Packed Regular");
    await page.reload();
    assert.deepEqual(await families(page), ["Probe Triangle", "Probe Pair", "Probe Packed"]);

    const large = { name: "large.ttf", mimeType: "font/ttf", buffer: Buffer.alloc((20 << 20) + 1) };
    await page.getByLabel(FIELD).setInputFiles([large]);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await outcome(page, "large.ttf: This file is too large. A font may have up to 20.0 MiB.");
  });
});

test("a lost connection is said, and the font is added once all the same", async () => {
  await play(async ({ page }) => {
    let requests = 0;
    await page.route(url("/app/fonts"), async (route) => {
      if (route.request().method() !== "POST" || requests++ > 0) return route.continue();
      await route.fetch();
      await route.abort("internetdisconnected");
    });
    await add(page, "post.otf");
    await page.getByText("The connection is lost.").waitFor();
    await outcome(page, "post.otf: added as Probe Post Regular");
    assert.equal(await page.getByText("The connection is lost.").isVisible(), false);
    assert.deepEqual(await families(page), ["Probe Post"]);
  });
});

test("a font shows a sample, and is deleted after a question", async () => {
  await play(async ({ page }) => {
    await add(page, "triangle.ttf");
    await outcome(page, "added as Probe Triangle");
    await page.getByRole("link", { name: "Probe Triangle", exact: true }).click();
    assert.match(await mainText(page), /TTF, 4\.2 KiB[\s\S]*ProbeTriangle-Regular/);
    const line = page.locator("#sample-line");
    const width = () => line.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getBoundingClientRect().width;
    });
    await page.getByLabel("Text", { exact: true }).fill("illi");
    assert.equal(await line.innerText(), "illi");
    const before = await width();
    await page.getByRole("button", { name: "Show it in this font" }).click();
    await page.waitForFunction(() => document.getElementById("sample-line").style.fontFamily === "docmill-sample");
    const size = await line.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
    // Every letter of this font is 0.8 em wide.
    assert.ok(Math.abs((await width()) - 4 * 0.8 * size) < 1 && before < 2 * size, `${before} ${await width()} ${size}`);
    assert.deepEqual(await findings(page), []);

    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByRole("link", { name: "Keep it" }).click();
    await page.getByRole("link", { name: "Delete Probe Triangle Regular" }).click();
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Delete the font" }).click();
    await page.getByText("Probe Triangle Regular was deleted.").waitFor();
    assert.match(await mainText(page), /You have no fonts yet/);
  });
});

test("the warning of a missing font leads to the page on which it is added, and then it is used", async () => {
  await play(async ({ page, goto }) => {
    const convert = async () => {
      await goto("/app/playground?tool=html-to-pdf");
      await page.getByLabel("HTML", { exact: true }).first().check();
      await page.getByRole("textbox", { name: "HTML", exact: true }).fill("<p style='font-family: Probe Triangle'>text");
      await page.getByRole("button", { name: "Convert" }).click();
      await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
      return page.locator("#job");
    };
    const first = await convert();
    assert.match(await first.innerText(), /font_substituted[\s\S]*Probe Triangle/i);
    const id = await first.getAttribute("data-job");
    await goto(`/app/jobs/${id}`);
    await page.getByRole("link", { name: "Add the font" }).click();
    await page.waitForURL(url("/app/fonts"));
    await add(page, "triangle.ttf");
    await outcome(page, "added as Probe Triangle");
    const second = await convert();
    assert.doesNotMatch(await second.innerText(), /font_substituted/);
  });
});

test("the preview names the fonts that are substituted on a page, and goes to the next one", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, person, "/app/playground?tool=office-to-pdf");
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(fileURLToPath(new URL("../fixtures/office/fonts.fodt", import.meta.url)));
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByRole("img", { name: /page 1 of 3$/ }).waitFor({ timeout: CONVERSION_MS });
    const told = page.locator(".substitutes [role=status]");
    const seen = async () => [await page.locator(".viewer-bar output").innerText(), await told.innerText()];
    assert.deepEqual(await seen(), ["Page 1 of 3", "Substituted on this page: “Acme Grotesk”."]);
    assert.match(await page.locator(".warnings").innerText(), /Acme Grotesk[^]*Pages: 1,3\./);
    const next = page.getByRole("button", { name: "Next page with a substitute" });
    await next.press("Enter");
    await page.getByRole("img", { name: /page 2 of 3$/ }).waitFor();
    assert.deepEqual(await seen(), ["Page 2 of 3", "Substituted on this page: “Calibri Light”."]);
    await next.press("Enter");
    await page.getByRole("img", { name: /page 3 of 3$/ }).waitFor();
    await next.press("Enter");
    await page.getByRole("img", { name: /page 1 of 3$/ }).waitFor();
    assert.deepEqual(await findings(page), []);

    assert.equal((await boxes(page)).length, 0);
    const mark = page.getByRole("button", { name: "Mark its words", pressed: false });
    await mark.press("Enter");
    await told.getByText(/“Acme Grotesk”\. \d+ places? (is|are) marked\./).waitFor();
    // The second line of the page is in the substitute, and the headings are not.
    const marked = await boxes(page);
    assert.ok(marked.length > 0 && Math.max(...marked) - Math.min(...marked) < 0.05, `${Math.min(...marked)} ${Math.max(...marked)}`);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await findings(page), []);
    }
    await next.press("Enter");
    await told.getByText(/“Calibri Light”\. \d+ places? (is|are) marked\./).waitFor();
    await page.getByRole("button", { name: "Mark its words", pressed: true }).press("Space");
    await told.getByText("Substituted on this page: “Calibri Light”.", { exact: true }).waitFor();
    await page.getByRole("img", { name: /page 2 of 3$/ }).waitFor();
    await eventually("the page is drawn without the marks", async () => (await boxes(page)).length === 0);
  });
});

/** How far down the page the boxes' lines are, as shares of its height: one for each row of pixels in their color. */
const boxes = (page) => page.locator(".frame canvas").evaluate((canvas) => {
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const isLine = (at) => Math.abs(data[at] - 0xd6) < 40 && data[at + 1] < 120 && Math.abs(data[at + 2] - 0x6f) < 60;
  return Array.from({ length: height }, (_, row) => row).filter((row) => Array.from({ length: width }, (_, column) => 4 * (row * width + column)).some(isLine)).map((row) => row / height);
});
