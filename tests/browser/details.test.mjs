// Details that reviews found wrong, as users see them.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { administer, base, closeBrowser, docmill, mainText, newPerson, signIn, url, withVisitor } from "./support.mjs";

after(closeBrowser);

const root = fileURLToPath(new URL("../..", import.meta.url));
const samples = process.env.SAMPLES_URL;
const sample = fileURLToPath(new URL("../../samples/small.docx", import.meta.url));
const pdfs = ["text.pdf", "images.pdf"].map((name) => fileURLToPath(new URL(`../fixtures/pdf/${name}`, import.meta.url)));
const CONVERSION_MS = 120_000;

/** Runs `journey` as a new person at `path`. */
async function at(path, journey, options = {}) {
  const person = await newPerson();
  await withVisitor(options, async (visitor) => {
    await signIn(visitor, person, path);
    await journey(visitor, person);
  });
}

const account = (page) => page.locator("details.person code").textContent();

async function createKey(page, name, origin = "") {
  await page.goto(url("/app/keys/new"));
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Mode").selectOption("live");
  if (origin) await page.getByLabel(/^Origins/).fill(origin);
  await page.getByRole("button", { name: "Create key" }).click();
  return page.locator("#secret").innerText();
}

test("a long key name leaves the table within the page", async () => {
  await at("/app/keys", async ({ page, goto }) => {
    await createKey(page, "a-key-name-of-forty-one-characters-in-all");
    await goto("/app/keys");
    const frame = page.getByRole("region", { name: "API keys" });
    assert.ok(await frame.evaluate((each) => each.scrollWidth <= each.clientWidth));
  }, { viewport: { width: 1440, height: 900 } });
});

test("regenerating a key keeps its date", async () => {
  await at("/app/keys", async ({ page, goto }) => {
    await createKey(page, "Steady");
    const created = async () => {
      await goto("/app/keys");
      return page.locator("tbody time").first().getAttribute("datetime");
    };
    const first = await created();
    for (let round = 0; round < 2; round++) {
      await page.getByRole("link", { name: "Regenerate Steady" }).click();
      await page.getByLabel("Old secret expires").selectOption("0");
      await page.getByRole("button", { name: "Regenerate" }).click();
      await page.locator("#secret").waitFor();
      assert.equal(await created(), first);
    }
  });
});

test("a key for an origin is tried with that origin", async () => {
  await at("/app/keys", async ({ page }) => {
    await createKey(page, "Bound", "https://app.example");
    assert.match(await page.locator("#curl").innerText(), /-H 'Origin: https:\/\/app\.example'/);
  });
});

test("the HTML playground starts with code that has no options", async () => {
  await at("/app/playground?tool=html-to-pdf", async ({ page }) => {
    const code = await page.locator("#code").textContent();
    assert.ok(!code.includes("printBackground") && !code.includes("tagged"), code);
  });
});

test("an empty file is refused in plain words", async () => {
  await at("/app/playground?tool=office-to-pdf", async ({ page }) => {
    const file = { name: "empty.docx", mimeType: "application/octet-stream", buffer: Buffer.alloc(0) };
    await page.locator("#file").setInputFiles(file);
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByText("This file is empty. Choose one of up to 100.0 MiB.").waitFor();
  });
});

test("errors go away with the next success, and warnings come before the preview", async () => {
  await at("/app/playground?tool=html-to-pdf", async ({ page }) => {
    await page.getByLabel("HTML", { exact: true }).first().check();
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByText("Enter some HTML.").waitFor();
    await page.getByRole("textbox", { name: "HTML", exact: true }).fill("<img src='http://10.0.0.1/x.png'>");
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
    assert.equal(await page.getByText("Enter some HTML.").count(), 0);
    assert.equal(await page.locator("[aria-invalid]").count(), 0);
    const top = async (selector) => (await page.locator(selector).boundingBox()).y;
    assert.ok((await top("#job .warnings")) < (await top("#job .viewer")));
  });
});

test("Convert stays in sight while options are chosen", async () => {
  await at("/app/playground?tool=html-to-pdf", async ({ page }) => {
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel("Filename").scrollIntoViewIfNeeded();
    const button = await page.getByRole("button", { name: "Convert" }).boundingBox();
    assert.ok(button.y > 0 && button.y + button.height <= 720, JSON.stringify(button));
  });
});

/** The clients, installed as their users have them. */
const install = (language) => promisify(execFile)(join(root, `clients/${language}/install.sh`)).then(({ stdout }) => stdout.trim());

/** Runs the codes of the playground as they are, in a directory that has these files, and gives the files that each saves. */
async function paste(page, key, files = [sample]) {
  const [python, typescript] = [await install("python"), await install("typescript")];
  const programs = {
    "Command line": ["sh", "-c"],
    Python: [python, "-c"],
    TypeScript: [process.execPath, "--input-type=module", "-e"],
    curl: ["sh", "-c"],
  };
  const results = [];
  for (const [label, [program, ...words]] of Object.entries(programs)) {
    const code = await page.locator(`#code .code-tab[data-label="${label}"] code`).textContent();
    const [cwd, home] = [await mkdtemp(join(tmpdir(), "docmill-")), await mkdtemp(join(tmpdir(), "docmill-home-"))];
    await promisify(execFile)("cp", [...files, cwd]);
    await symlink(join(typescript, "node_modules"), join(cwd, "node_modules"));
    const env = { ...process.env, DOCMILL_URL: base, DOCMILL_KEY: key, HOME: home, PATH: `${dirname(docmill)}:${process.env.PATH}` };
    await promisify(execFile)(program, [...words, code], { cwd, env, timeout: CONVERSION_MS });
    const own = new Set([...files.map((file) => basename(file)), "node_modules"]);
    const saved = (await readdir(cwd)).filter((name) => !own.has(name));
    for (const name of saved) results.push({ label, name, bytes: await readFile(join(cwd, name)) });
    await rm(cwd, { recursive: true });
    await rm(home, { recursive: true });
  }
  assert.deepEqual(results.map(({ label }) => label), Object.keys(programs), "each saves one file");
  return results;
}

test("the code yields the file when it is pasted", async () => {
  await at("/app/playground?tool=office-to-pdf", async ({ page }) => {
    const id = await account(page);
    const { key: { secret: key } } = await administer("key", "create", "--account", id, "--name", "Paste", "--mode", "test");
    await page.getByLabel("A URL").check();
    await page.getByLabel("URL", { exact: true }).fill(`${samples}/small.docx`);
    await page.getByLabel("Filename").evaluate((field) => { field.closest("details").open = true; });
    await page.getByLabel("Filename").fill("result.pdf");
    await page.locator("#code", { hasText: "small.docx" }).filter({ hasText: "result.pdf" }).waitFor();
    for (const { label, name, bytes } of await paste(page, key)) {
      assert.deepEqual([name, bytes.subarray(0, 5).toString()], ["result.pdf", "%PDF-"], label);
    }

    await page.getByLabel("A file", { exact: true }).check();
    await page.getByLabel("Drop a file here, or choose one").setInputFiles(sample);
    await page.getByLabel("Filename").fill("");
    await page.locator("#code", { hasText: "upload 'small.docx'" }).filter({ hasNotText: "result.pdf" }).waitFor();
    for (const { label, name, bytes } of await paste(page, key)) {
      assert.deepEqual([name, bytes.subarray(0, 5).toString()], ["small.pdf", "%PDF-"], label);
    }
  });
});

test("a new user makes a key, runs three tools in a chain, and gets the same bytes from the pasted code", async () => {
  await at("/app/keys", async ({ page }) => {
    const key = await createKey(page, "Chain");
    await page.goto(url("/app/playground?tool=merge-pdf"));
    await page.locator("#file").setInputFiles(pdfs);
    await page.getByText("Further steps", { exact: true }).click();
    await page.getByLabel(/^Step 2/).selectOption("compress-pdf");
    await page.getByLabel(/^Step 3/).selectOption("flatten-pdf");
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^Download / }).click()]);
    const shown = await readFile(await download.path());
    assert.equal(shown.subarray(0, 5).toString(), "%PDF-");
    for (const { label, bytes } of await paste(page, key, pdfs)) assert.ok(bytes.equals(shown), label);
  });
});

test("a job shows its document and its key", async () => {
  await at("/app/playground?tool=office-to-pdf", async ({ page, goto }) => {
    await page.getByLabel("A URL").check();
    await page.getByLabel("URL", { exact: true }).fill(`${samples}/small.docx`);
    await page.getByRole("button", { name: "Convert" }).click();
    await page.getByRole("heading", { name: "Your PDF is ready" }).waitFor({ timeout: CONVERSION_MS });
    await goto("/app/jobs");
    await page.getByRole("link", { name: "small.docx" }).click();
    assert.match(await mainText(page), /small\.docx\s+Office to PDF, created in the playground/);
  });
});

test("opening a form's address redirects to its page", async () => {
  await at("/app/webhooks", async ({ page, goto }) => {
    await goto("/app/webhooks/sample");
    assert.equal(page.url(), url("/app/webhooks"));
  });
});

test("a signed sample has all that a recorded event has", async () => {
  await at("/app/webhooks", async ({ page }) => {
    await page.getByRole("button", { name: "Create a signed sample" }).click();
    const { job } = JSON.parse(await page.locator("#sample-body").innerText()).data;
    assert.ok(job.credits && job.output.pages && job.finishedAt, JSON.stringify(job));
  });
});

test("a refused form lists its errors and gets the focus", async () => {
  await at("/app/keys/new", async ({ page }) => {
    await page.getByLabel("Name").fill("x");
    await page.getByLabel(/^Origins/).fill("nonsense");
    await page.getByRole("button", { name: "Create key" }).click();
    const summary = page.locator("#error-summary");
    await summary.waitFor();
    assert.ok(await summary.evaluate((each) => each === document.activeElement));
    await summary.getByRole("link", { name: /^Origins/ }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), "origins");
  });
});

test("users of a suspended account can sign out", async () => {
  await at("/app", async ({ page, goto }) => {
    await administer("account", "set", await account(page), "--suspended", "on");
    await goto("/app/jobs");
    assert.match(await mainText(page), /Account suspended/);
    assert.ok(await page.getByRole("main").getByRole("button", { name: "Sign out", exact: true }).isVisible());
    assert.equal(await page.getByRole("main").getByRole("link", { name: "Sign in" }).count(), 0);
  });
});

test("the account menu has a name on a phone", async () => {
  await at("/app", async ({ page }) => {
    const summary = page.locator("details.person > summary");
    assert.match(await summary.innerText(), /account menu/);
  }, { viewport: { width: 390, height: 844 } });
});

test("public pages are compressed, cacheable and described", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    const answer = await goto("/tools/office-to-pdf");
    const headers = answer.headers();
    assert.equal(headers["content-encoding"], "gzip");
    assert.match(headers["cache-control"], /max-age=60/);
    for (const name of ['meta[name="description"]', 'meta[property="og:title"]', 'meta[property="og:description"]']) {
      assert.ok((await page.locator(name).getAttribute("content")).length > 10, name);
    }
  });
});
