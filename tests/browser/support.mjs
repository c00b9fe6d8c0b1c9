// Shared by journeys: a browser, users, signing in, and reports of axe-core.
//
// The stack is the one at DOCMILL_URL; `make test` starts it and installs the dependencies in package.json.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const require = createRequire(`${process.env.BROWSER_MODULES}/`);
const { chromium } = require("playwright-core");
const axeSource = require("axe-core").source;
const root = new URL("../..", import.meta.url).pathname;

/** The environment of a command that acts on the deployed stack: its tables are under `DEPLOYED_…` in tests. */
const deployed = Object.fromEntries(
  Object.entries(process.env).map(([name, value]) => [name, process.env[`DEPLOYED_${name}`] ?? value]),
);
const run = (program, words) =>
  promisify(execFile)(program, words, { cwd: root, env: { ...deployed, PYTHONPATH: `${root}infra` } });

// Functions and browsers start slowly on a busy machine. Fast machines don't wait longer.
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 60_000);

// Milliseconds that each answer takes longer, with a processor of a quarter of the speed: finds journeys that look too early.
const SLOWER_BY_MS = Number(process.env.SLOWER_BY_MS ?? 0);

export const base = process.env.DOCMILL_URL;

/** The command line, which `make test` builds. */
export const docmill = `${process.env.CARGO_TARGET_DIR ?? `${root}target`}/debug/docmill`;

export const url = (path) => `${base}${path}`;

/** The people that every local stack has. Tests that change something make their own: see `newPerson`. */
export const people = {
  user: { email: process.env.DOCMILL_USER, password: process.env.DOCMILL_USER_PASSWORD },
  admin: { email: process.env.DOCMILL_ADMIN, password: process.env.DOCMILL_ADMIN_PASSWORD },
};

let browser;

/** One browser for all tests of a file. */
async function theBrowser() {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
  return browser;
}

export async function closeBrowser() {
  await (await browser)?.close();
}

/**
 * A page in a context of its own: no cookie of another test. `options` are Playwright's, e.g. `{colorScheme: "dark"}`.
 * Whatever the page's policy blocks, and every error in its scripts, fails the test that calls `visitor.close()`.
 */
export async function newVisitor(options = {}) {
  const context = await (await theBrowser()).newContext({ locale: "en-GB", reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await slowDown(page);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content.Security.Policy/i.test(message.text())) complaints.push(message.text());
  });
  const close = async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  };
  return { page, context, close, goto: (path) => page.goto(url(path)) };
}

async function slowDown(page) {
  if (SLOWER_BY_MS === 0) return;
  const devtools = await page.context().newCDPSession(page);
  const network = { offline: false, latency: SLOWER_BY_MS, downloadThroughput: -1, uploadThroughput: -1 };
  await devtools.send("Network.emulateNetworkConditions", network);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/**
 * Shows what the service says at this moment: a browser keeps a guest's page for a minute, and a page whose requests
 * are intercepted has no cache.
 */
export const withoutCache = (page) => page.route("**/*", (route) => route.continue());

/** Runs `journey` with a visitor, and looks for complaints of the browser at its end. */
export async function withVisitor(options, journey) {
  const visitor = await newVisitor(options);
  try {
    await journey(visitor);
  } catch (error) {
    await visitor.context.close();
    throw error;
  }
  await visitor.close();
}

/** Fills in the issuer's page, on which the browser is. */
export async function giveCredentials(page, { email, password }) {
  await page.getByLabel("Username").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in and comes to `path`. */
export async function signIn(visitor, person, path = "/app") {
  await visitor.goto(path);
  await giveCredentials(visitor.page, person);
  await visitor.page.waitForURL(url(path));
}

/** A person of this test alone, with an account of their own from their first sign-in on. */
export async function newPerson({ admin = false } = {}) {
  const person = { email: `${randomUUID()}@docmill.test`, password: randomUUID() };
  const group = admin ? ["admin"] : [];
  await run(process.env.LOCAL_PYTHON, ["-m", "local", "person", person.email, person.password, ...group]);
  return person;
}

/** What `docmill-admin` says, as JSON: `await administer("account", "show", id)`. */
export async function administer(...command) {
  const { stdout } = await run(process.env.DOCMILL_ADMIN_BINARY, ["--json", ...command]);
  return JSON.parse(stdout);
}

/** Drops files, as `{name, type, content}`, on an element. */
export async function drop(target, files) {
  const sent = files.map(({ name, type = "", content }) => ({ name, type, content: content.toString("base64") }));
  await target.evaluate((element, files) => {
    const dataTransfer = new DataTransfer();
    for (const { name, type, content } of files) {
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type }));
    }
    for (const kind of ["dragover", "drop"]) {
      element.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, sent);
}

/** Every impact that axe-core knows. */
export const ANY = ["minor", "moderate", "serious", "critical"];

/** The findings of axe-core on the page of these impacts. */
export async function findings(page, impacts = ["serious", "critical"]) {
  // Injected by the debugger, so that the page's policy needs no exception.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

/** axe-core finds nothing on the page, in light, in dark and on a phone, where it fits the screen. */
export async function suitsEverybody(page) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page, ANY), [], colorScheme);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  assert.deepEqual(await findings(page, ANY), [], "on a phone");
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
}

/** The share of dark pixels in the marked box of a shown page. */
export const inkInBox = (page, selector) =>
  page.locator(".blocks-view canvas").evaluate((canvas, selector) => {
    const box = document.querySelector(selector).getBoundingClientRect();
    const whole = canvas.getBoundingClientRect();
    const scale = canvas.width / whole.width;
    const at = [(box.x - whole.x) * scale, (box.y - whole.y) * scale, box.width * scale, box.height * scale];
    const { data } = canvas.getContext("2d").getImageData(...at);
    return data.filter((value, index) => index % 4 === 0 && value < 128).length / (data.length / 4);
  }, selector);

/** The text of the page's main part. */
export const mainText = (page) => page.locator("main").innerText();

/** Waits until `condition` gives something, e.g. until a change has reached every environment (15 seconds). */
export async function eventually(what, condition, patience = PATIENCE_MS) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(Date.now() < end, `not within ${patience / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
