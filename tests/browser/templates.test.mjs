// The account's templates: added with the page, refused with their mistakes, used by a job, and deleted.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { closeBrowser, findings, mainText, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const CONVERSION_MS = 120_000;
const FIELD = "Drop a template here, or choose one";

/** Runs `journey` as a new person on the page of templates. */
async function play(journey) {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, "/app/templates");
    await journey(visitor);
  });
}

async function add(page, text, name) {
  const file = { name: "Order letter.html", mimeType: "text/html", buffer: Buffer.from(text) };
  await page.getByLabel(FIELD).setInputFiles(file);
  if (name) await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("button", { name: "Add", exact: true }).click();
}

const told = (page, text) => page.locator("#outcome", { hasText: text }).waitFor();

test("a template is added, gets versions, tells its data, and is deleted", async () => {
  await play(async ({ page }) => {
    assert.match(await mainText(page), /0 of 500 versions[\s\S]*You have no templates yet/);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Choose a template.").waitFor();

    await add(page, "<p>Dear {customer.name}</p>");
    await told(page, "Order-letter was added as version 1.");
    await add(page, "<p>Dear {customer.name}, you ordered {count | number}.</p>");
    await told(page, "Order-letter was added as version 2.");
    assert.match(await mainText(page), /2 of 500 versions/);
    assert.deepEqual(await findings(page), []);

    await page.getByRole("link", { name: "Order-letter", exact: true }).click();
    await page.waitForURL(url("/app/templates/Order-letter"));
    const shown = await page.locator("main").textContent();
    assert.match(shown, /"name": "Order-letter"/);
    assert.match(shown, /"customer"[\s\S]*"count"/);
    assert.equal(await page.getByRole("region", { name: "Versions" }).locator("tbody tr").count(), 2);
    assert.deepEqual(await findings(page), []);
    const file = await page.getByRole("link", { name: "Download version 1" }).getAttribute("href");
    const stored = await page.context().request.get(new URL(file, page.url()).href);
    assert.equal(await stored.text(), "<p>Dear {customer.name}</p>");

    // It is filled in with a form made for its data.
    await page.getByRole("link", { name: "Fill it in" }).click();
    assert.equal(await page.getByLabel("Stored template", { exact: true }).inputValue(), "Order-letter");
    await page.locator('[name="option.data.customer.name"]').fill("Ada");
    await page.locator('[name="option.data.count"]').fill("3");
    assert.deepEqual(await findings(page), []);
    await page.getByRole("button", { name: "Convert" }).click();
    await page.locator("#job[data-job]:not([data-waiting]) #download").waitFor({ timeout: CONVERSION_MS });
    const link = await page.locator("#download").getAttribute("href");
    const letter = await page.context().request.get(new URL(link, page.url()).href);
    assert.match(await letter.text(), /Dear Ada, you ordered 3/);
    await page.goto(url("/app/templates/Order-letter"));

    await page.getByRole("link", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "Delete Order-letter and its 2 versions?" }).waitFor();
    await page.getByRole("button", { name: "Delete the template" }).click();
    await page.getByText("You have no templates yet").waitFor();
  });
});

test("a template with mistakes is refused with all of them", async () => {
  await play(async ({ page }) => {
    await add(page, "<p>{#items}{name | uper}</p>", "broken");
    await page.locator("#outcome.error").waitFor();
    const mistakes = await page.locator("#mistakes li").allInnerTexts();
    assert.equal(mistakes.length, 2, mistakes.join("\n"));
    assert.match(mistakes.join("\n"), /`items` is not closed/);
    assert.match(mistakes.join("\n"), /Did you mean `upper`\?/);
    assert.match(await mainText(page), /You have no templates yet/);
  });
});
