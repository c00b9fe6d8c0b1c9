// A tool is listed exactly where its switches say: menu, homepage, category pages, its own page, API.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { administer, closeBrowser, eventually, newVisitor, url, withoutCache } from "./support.mjs";

const SLUG = "html-to-pdf";
const NAME = "HTML to PDF";
const SWITCHES = ["--navigation", "--homepage", "--category-pages", "--public", "--api"];
const set = (...settings) => administer("tool", "set", SLUG, ...settings);
const all = (word) => SWITCHES.flatMap((name) => [name, word]);

const visitor = await newVisitor();
await withoutCache(visitor.page);
after(async () => {
  await set("--state", "live", ...all("on"));
  await visitor.close();
  await closeBrowser();
});

/** Where the tool is found at this moment, as a guest and a client see it. */
async function places() {
  const { page, goto } = visitor;
  const named = (within) => within.getByText(NAME, { exact: true }).count().then((count) => count > 0);
  await goto("/");
  const navigation = await named(page.getByRole("navigation", { name: "Site" }));
  const homepage = await named(page.getByRole("main"));
  await goto("/tools");
  const listed = await named(page.getByRole("main"));
  const category = (await goto("/tools/category/web")).ok() && (await named(page.getByRole("main")));
  const own = (await goto(`/tools/${SLUG}`)).ok();
  const headers = { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}` };
  const answer = await fetch(url("/v1/tools"), { headers });
  const api = (await answer.json()).tools.some(({ slug }) => slug === SLUG);
  return { navigation, homepage, listed, category, own, api };
}

const everywhere = { navigation: true, homepage: true, listed: true, category: true, own: true, api: true };
const nowhere = Object.fromEntries(Object.keys(everywhere).map((place) => [place, false]));

async function comesTo(expected) {
  let seen;
  const matches = async () => {
    seen = await places();
    return JSON.stringify(seen) === JSON.stringify(expected);
  };
  await eventually("the change reaches every function", matches).catch((error) => {
    assert.deepEqual(seen ?? error, expected);
  });
}

test("each switch controls one place, and a disabled tool is listed nowhere", async () => {
  await set("--navigation", "off", "--homepage", "off");
  await comesTo({ ...everywhere, navigation: false, homepage: false });
  await set("--navigation", "on", "--homepage", "on", "--category-pages", "off", "--public", "off", "--api", "off");
  await comesTo({ ...everywhere, listed: false, category: false, own: false, api: false });
  await set("--state", "disabled", ...all("on"));
  await comesTo(nowhere);
});

test("a tool in beta or maintenance is marked everywhere", async () => {
  for (const state of ["beta", "maintenance"]) {
    await set("--state", state, ...all("on"));
    await comesTo(everywhere);
    await eventually(`the page says ${state}`, async () => {
      await visitor.goto(`/tools/${SLUG}`);
      return (await visitor.page.getByRole("heading", { level: 1 }).innerText()).includes(state);
    });
    await visitor.goto("/tools");
    const card = visitor.page.getByRole("listitem").filter({ hasText: NAME }).filter({ hasText: state });
    assert.ok((await card.count()) > 0, state);
  }
});
