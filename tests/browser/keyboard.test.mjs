// All journeys by keyboard alone: no mouse, no focus set by the test. The focus is visible at every stop.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";
import { administer, closeBrowser, mainText, newPerson, people, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

// More stops than the longest form has.
const MOST_STOPS = 150;
const CONVERSION_MS = 120_000;

/** Why a person would not see that this element has the focus; empty if they see it. */
const hidden = (element) => {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  if (outlineStyle === "none" || parseFloat(outlineWidth) === 0) return "it has no outline";
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + Math.min(height / 2, 20)];
  if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return `it is outside of the window, at ${x}, ${y}`;
  const above = document.elementFromPoint(x, y);
  return element.contains(above) || above?.contains(element) ? "" : `it lies under ${above?.outerHTML.slice(0, 100)}`;
};

/** Presses Tab until this element has the focus. */
async function reach(page, target) {
  const has = () => target.evaluate((element) => element === document.activeElement);
  await target.waitFor();
  for (let stop = 0; !(await has()); stop++) {
    assert.ok(stop < MOST_STOPS, `the keyboard does not reach ${target}`);
    await page.keyboard.press("Tab");
  }
}

/** The same, on a page of ours. */
async function tabTo(page, target) {
  await reach(page, target);
  assert.equal(await target.evaluate(hidden), "", `the focus on ${target} can't be seen`);
}

async function press(page, target, key = "Enter") {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function write(page, target, text) {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/** Chooses in a list by typing how the choice begins. */
async function pick(page, target, text) {
  await write(page, target, text);
  assert.match(await target.locator("option:checked").innerText(), new RegExp(`^${text}`));
}

async function giveCredentials(page, { email, password }) {
  await reach(page, page.getByLabel("Username"));
  await page.keyboard.type(email);
  await reach(page, page.getByLabel("Password"));
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

const link = (page, name) => page.getByRole("link", { name, exact: true });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const inMenu = (page, name) => link(page.getByRole("navigation", { name: "Dashboard" }), name);

test("a person signs in, gives the password again and makes a key", async () => {
  const person = await newPerson();
  await withVisitor({ permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, context, goto }) => {
    await goto("/");
    await press(page, link(page.getByRole("banner"), "Sign in"));
    await giveCredentials(page, person);
    await page.waitForURL(url("/app"));
    await press(page, inMenu(page, "API keys"));
    await page.waitForURL(url("/app/keys"));
    // As if the sign-in was hours ago.
    await context.clearCookies({ name: /proof$/ });
    await press(page, link(page.getByRole("main"), "Create a key"));
    await giveCredentials(page, person);
    await page.waitForURL(url("/app/keys/new"));

    // The error has the focus and leads to its field.
    const [name, origins] = [page.getByLabel("Name"), page.getByLabel(/^Origins/)];
    await write(page, name, "By keyboard");
    await write(page, origins, "nonsense");
    await press(page, button(page, "Create key"));
    const summary = page.locator("#error-summary");
    await summary.waitFor();
    assert.ok(await summary.evaluate((element) => element === document.activeElement), "the summary of errors has the focus");
    await press(page, summary.getByRole("link", { name: /^Origins/ }));
    assert.ok(await origins.evaluate((element) => element === document.activeElement), "its link leads to the field");
    assert.equal(await name.inputValue(), "By keyboard");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await press(page, button(page, "Create key"));
    const secret = page.locator("#secret");
    await secret.waitFor();
    await press(page, page.locator("[data-copy=secret]"));
    await page.getByText("Copied", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await secret.innerText());
  });
});

/** Chooses files as the system's own dialog would give them. */
async function chooseFiles(page, files) {
  const choosing = page.waitForEvent("filechooser");
  await press(page, page.getByLabel("Drop files here, or choose some"));
  await (await choosing).setFiles(files);
}

test("files are added and put in order, a chain is built, and its result is looked at and downloaded", async () => {
  const person = await newPerson();
  const html = (text) => ({ name: `${text}.html`, mimeType: "text/html", buffer: Buffer.from(`<h1>${text}</h1>`) });
  await withVisitor({ permissions: ["clipboard-read", "clipboard-write"] }, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, person, "/app/playground");
    const picker = page.getByRole("navigation", { name: "Tool", exact: true });
    await press(page, picker.locator("summary"));
    await press(page, link(picker, "Merge PDF"));
    await page.waitForURL(/tool=merge-pdf/);
    await chooseFiles(page, [html("second"), html("first")]);
    await press(page, button(page, "Move up: first.html"));
    assert.deepEqual(await page.locator("#file-chosen .name").allInnerTexts(), ["first.html", "second.html"]);
    assert.match(await page.evaluate(() => document.activeElement.ariaLabel), /: first\.html$/, "the focus moves with its file");

    await press(page, page.getByText("Further steps", { exact: true }));
    await pick(page, page.getByLabel(/^Step 2/), "Compress");
    await pick(page, page.getByLabel(/^Step 3/), "Watermark");
    await write(page, page.locator('[name="step.1.option.text"]'), "DRAFT");
    const convert = page.locator("#playground [type=submit]");
    await press(page, convert);
    await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
    assert.ok(await convert.evaluate((element) => element === document.activeElement), "the focus stays while the page asks for the job");

    await press(page, button(page, "Next page"));
    await page.getByRole("img", { name: /, page 2 of 2$/ }).waitFor();
    assert.ok(await button(page, "Next page").evaluate((element) => element === document.activeElement), "at the last page too");
    const downloading = page.waitForEvent("download");
    await press(page, page.getByRole("link", { name: /^Download / }));
    await downloading;

    await tabTo(page, page.getByRole("tab", { name: "Command line" }));
    await page.keyboard.press("ArrowRight");
    const code = page.getByRole("tabpanel", { name: "Python" });
    await press(page, code.getByRole("button", { name: "Copy" }));
    await code.getByText("Copied", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.locator("code").textContent());
  });
});

test("a font is added and deleted", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, person);
    await press(page, inMenu(page, "Fonts"));
    await page.waitForURL(url("/app/fonts"));
    const choosing = page.waitForEvent("filechooser");
    await press(page, page.getByLabel("Drop fonts here, or choose some"));
    await (await choosing).setFiles(fileURLToPath(new URL("../fixtures/fonts/post.otf", import.meta.url)));
    await press(page, button(page, "Add"));
    await press(page, link(page, "Probe Post"));
    await press(page, button(page, "Show it in this font"));
    await page.locator("#sample-line[style]").waitFor();
    await press(page, link(page.getByRole("main"), "Delete"));
    await press(page, button(page, "Delete the font"));
    await page.getByText("Probe Post Regular was deleted.").waitFor();
  });
});

test("an administrator changes a tool and grants credits", async () => {
  const { account } = await administer("account", "create", "--name", `By keyboard ${randomUUID()}`);
  await withVisitor({}, async (visitor) => {
    const { page, goto, context } = visitor;
    await signIn(visitor, people.admin, "/admin");
    await press(page, link(page.getByRole("navigation", { name: "Administration" }), "Tool settings"));
    await page.waitForURL(url("/admin/tools"));
    await press(page, link(page.getByRole("main"), "Edit PDF metadata"));
    await page.waitForURL(url("/admin/tools/edit-metadata"));
    // Changes the description of the tool's page, and restores it at the end.
    const description = page.getByLabel(/^Description/);
    const before = await description.inputValue();
    const describe = async (text) => {
      await tabTo(page, description);
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Delete");
      await page.keyboard.type(text);
      await write(page, page.getByLabel("Reason"), "journey by keyboard");
      await press(page, button(page, "Save"));
      await page.waitForURL(url("/admin/tools"));
      assert.match(await mainText(page), /Edit PDF metadata was saved/);
    };
    await describe("Changed by the keyboard alone.");
    await goto("/admin/tools/edit-metadata");
    assert.equal(await description.inputValue(), "Changed by the keyboard alone.");
    await describe(before);

    await goto(`/admin/accounts/${account.id}`);
    await context.clearCookies({ name: /proof$/ });
    await press(page, page.getByRole("main").getByRole("link", { name: /^Grant/ }));
    await giveCredentials(page, people.admin);
    await page.waitForURL(url(`/admin/accounts/${account.id}/grant`));
    await write(page, page.getByLabel("Credits"), "25");
    await write(page, page.getByLabel("Reason"), "journey by keyboard");
    await press(page, button(page, "Grant"));
    await page.waitForURL(url(`/admin/accounts/${account.id}`));
    assert.match(await mainText(page), /25 credits were granted/);
  });
});
