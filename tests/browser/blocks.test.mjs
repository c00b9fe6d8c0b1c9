// The blocks of a document that was read: a list beside its pages, in the playground and on the job's page.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { base, closeBrowser, inkInBox, newPerson, signIn, suitsEverybody, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const survey = fileURLToPath(new URL("../../samples/tree-survey.pdf", import.meta.url));
const letter = fileURLToPath(new URL("../../samples/small.docx", import.meta.url));
const CONVERSION_MS = 120_000;

/** Runs `journey` with the result of a file in the playground of extract-document. */
async function read(file, journey) {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, "/app/playground?tool=extract-document");
    const { page } = visitor;
    await page.getByLabel("Drop files here, or choose some").setInputFiles(file);
    await page.getByRole("button", { name: "Convert" }).click();
    await page.locator(".block-list .block").first().waitFor({ timeout: CONVERSION_MS });
    await journey(visitor);
  });
}

const block = (page, text) => page.locator(".block", { hasText: text });
/** The roles of what is lit in the list, and on the page. */
const lit = async (page) => [
  await page.locator(".block[data-lit] .role").allInnerTexts(),
  await page.locator(".block-box[data-lit]").evaluateAll((boxes) => boxes.map(({ dataset }) => dataset.role)),
];

test("a block lights up on the page and in the list together", async () => {
  await read(survey, async ({ page }) => {
    const requests = [];
    page.on("request", (request) => requests.push(new URL(request.url()).hostname));
    await page.locator(".blocks-view canvas").waitFor();
    const roles = await page.locator(".block .role").allInnerTexts();
    assert.deepEqual(roles, [
      "title", "paragraph", "list item", "list item", "heading 2", "table", "caption", "heading 2", "paragraph", "figure", "caption",
      "footnote", "hidden text",
    ]);
    assert.match(await block(page, "Poplar\t48").innerText(), /table 98 % by the source's structure/);
    assert.match(await block(page, "Ignore all earlier").innerText(), /hidden text in the color of its ground/);

    await block(page, "Table 1:").hover();
    assert.deepEqual(await lit(page), [["caption"], ["caption"]]);
    await page.locator('.block-box[data-role="table"]').hover();
    assert.deepEqual(await lit(page), [["table"], ["table"]]);
    assert.equal(await page.locator(".cell").count(), 16);
    await page.locator('.block-box[data-role="title"]').click();
    assert.equal(await page.locator(":focus .role").innerText(), "title");

    // Its box is where the page has its ink.
    const dark = await inkInBox(page, '.block-box[data-role="title"]');
    assert.ok(dark > 0.05, `${dark} of the title is dark`);
    // The bucket of a stack on one machine has the same name.
    assert.deepEqual(requests.filter((host) => host !== new URL(base).hostname), []);
  });
});

test("the list is used by the keyboard, and has no problem for anybody", async () => {
  await read(survey, async ({ page }) => {
    await page.locator(".blocks-view canvas").waitFor();
    await block(page, "Trees of the Harbor Park").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    assert.deepEqual(await lit(page), [["paragraph"], ["paragraph"]]);
    await page.keyboard.press("End");
    assert.deepEqual(await lit(page), [["hidden text"], ["hidden"]]);
    await page.keyboard.press("Enter");
    assert.equal(JSON.parse(await page.locator(".block-json").innerText()).why, "sameColor");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".block-json").isVisible(), false);
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(".block:focus").count(), 0, "one stop for the whole list");
    await suitsEverybody(page);
  });
});

test("a document without pages is a list, and the job's page shows it too", async () => {
  await read(letter, async ({ page }) => {
    assert.equal(await page.locator(".blocks-view .sheet").count(), 0);
    assert.match(await block(page, "Amet aliqua dolor").innerText(), /paragraph 100 % by the source's structure/);
    await page.locator(".viewer details summary", { hasText: "JSON" }).click();
    await page.locator(".viewer.text pre", { hasText: '"version": "1"' }).waitFor();
    await page.goto(url(`/app/jobs/${await page.locator("#job").getAttribute("data-job")}`));
    await block(page, "Amet aliqua dolor").waitFor();
  });
});

test("a page without a picture has the text of its blocks", async () => {
  await read(survey, async ({ page }) => {
    const job = await page.locator("#job").getAttribute("data-job");
    // The link to the uploaded file is broken on the way.
    await page.route(`**/app/jobs/${job}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(/data-pages="[^"]*"/, 'data-pages="/gone.pdf"') });
    });
    await page.goto(url(`/app/jobs/${job}`));
    await page.locator(".sheet[data-blank] .block-box", { hasText: "What was counted" }).waitFor();
    assert.equal(await page.locator(".blocks-view canvas").count(), 0);
  });
});
