// Puppeteer or Playwright with one warm browser: a fresh context per job, as a service for strangers needs it.
// Usage: node peer_browser.mjs puppeteer-core|playwright-core NODE_MODULES BROWSER
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const [driver, modules, executablePath] = process.argv.slice(2);
const library = createRequire(`${modules}/`)(driver);
const isPuppeteer = driver.startsWith("puppeteer");
const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
// What Docmill's browser does when no option is given.
const paper = { format: "A4", printBackground: true, tagged: true, outline: false };

const browser = isPuppeteer
  ? await library.launch({ executablePath, args, headless: "shell", pipe: true })
  : await library.chromium.launch({ executablePath, args });

async function convert(job) {
  const html = await readFile(job.in, "utf8");
  const context = isPuppeteer ? await browser.createBrowserContext() : await browser.newContext();
  try {
    const page = await context.newPage();
    await page.setContent(html, { waitUntil: "load", timeout: 60000 });
    await page.pdf({ path: job.out, ...paper });
  } finally {
    await context.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer = {};
  try {
    await convert(JSON.parse(line));
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
