// The tags of a PDF: a tree beside its pages, in the playground and on the job's page.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { closeBrowser, inkInBox, newPerson, signIn, suitsEverybody, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const survey = fileURLToPath(new URL("../../samples/tree-survey.pdf", import.meta.url));
const untagged = fileURLToPath(new URL("../fixtures/pdf/text.pdf", import.meta.url));
const CONVERSION_MS = 120_000;

/** Runs `journey` with the result of a file in the playground of `tool`. */
async function run(tool, file, journey) {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, `/app/playground?tool=${tool}`);
    const { page } = visitor;
    await page.getByLabel(/^Drop (a file|files) here/).setInputFiles(file);
    await page.getByRole("button", { name: "Convert" }).click();
    await page.locator(".blocks-view .sheet canvas").waitFor({ timeout: CONVERSION_MS });
    await journey(visitor);
  });
}

const items = (page) => page.getByRole("treeitem");
const headerCell = (page) => page.locator(".tag:has(.role:text-is('TH'))").first();
/** What is chosen. */
const chosen = (page) => page.locator("[role=tree] [aria-selected=true]").innerText();
const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

test("the tags that were made are a tree, and the chosen one is marked on the page", async () => {
  await run("tag-pdf", survey, async ({ page }) => {
    const roles = await page.locator(".tag .role").allInnerTexts();
    assert.ok(["H1", "P", "L", "H2", "Table", "Figure"].every((role) => roles.includes(role)), `${roles}`);
    assert.equal(await headerCell(page).locator(".text").innerText(), "Species");
    assert.match(await page.locator(".tag", { hasText: "Figure" }).first().innerText(), /Read as “.+”|No alternative text/);

    await page.locator(".tag", { hasText: "Trees of the Harbor Park" }).first().click();
    assert.match(await chosen(page), /^H1\s+Trees of the Harbor Park/);
    // Its box is where the page has its ink.
    const dark = await inkInBox(page, ".block-box");
    assert.ok(dark > 0.05, `${dark} of the title is dark`);

    // What is clicked on the page is chosen in the tree.
    const { width, height } = await page.locator(".block-box").boundingBox();
    await headerCell(page).click();
    assert.match(await chosen(page), /^TH for its column\s+Species/);
    const cell = await page.locator(".block-box").boundingBox();
    assert.ok(cell.width < width && cell.height < height, JSON.stringify(cell));
    const sheet = await page.locator(".blocks-view .sheet").boundingBox();
    const middle = { x: cell.x - sheet.x + cell.width / 2, y: cell.y - sheet.y + cell.height / 2 };
    await page.locator(".tag", { hasText: "Trees of the Harbor Park" }).first().click();
    await page.locator(".blocks-view .sheet").click({ position: middle });
    assert.match(await chosen(page), /^TH/);

    await page.goto(url(`/app/jobs/${await page.locator("#job").getAttribute("data-job")}`));
    await items(page).first().waitFor();
  });
});

test("the tree is used by the keyboard, and has no problem for anybody", async () => {
  await run("check-accessibility", survey, async ({ page }) => {
    await page.locator(".viewer.text pre", { hasText: "PDF/UA-1" }).waitFor();
    await items(page).first().focus();
    const all = await items(page).count();
    assert.ok(all > 30, `${all}`);
    const first = await chosen(page);
    await press(page, "ArrowDown");
    const second = await chosen(page);
    assert.notEqual(second, first);
    await press(page, "ArrowUp");
    assert.equal(await chosen(page), first);
    await press(page, "ArrowLeft");
    assert.equal(await page.locator("[role=tree] [aria-selected=true]").getAttribute("aria-expanded"), "false");
    assert.equal(await page.locator("[role=treeitem]:visible").count(), 1);
    await press(page, "ArrowRight", "ArrowRight");
    assert.equal(await chosen(page), second);
    await press(page, "End");
    assert.equal(await items(page).last().getAttribute("aria-selected"), "true");
    await press(page, "ArrowLeft", "Home");
    assert.equal(await chosen(page), first);
    await press(page, "Tab");
    assert.equal(await page.locator("[role=treeitem]:focus").count(), 0, "one stop for the whole tree");
    await suitsEverybody(page);
  });
});

test("a page without tags says so", async () => {
  await run("check-accessibility", untagged, async ({ page }) => {
    await page.getByText("This page has no tags.").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await page.locator("output", { hasText: "Page 2 of" }).waitFor();
    await page.getByText("This page has no tags.").waitFor();
  });
});
