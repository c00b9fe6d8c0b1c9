// axe-core finds no problems on any page in light, dark and on a phone, and no page is wider than a phone.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newcomer, open, pages } from "./pages.mjs";
import { ANY, closeBrowser, findings, newVisitor, people, signIn, withVisitor } from "./support.mjs";

after(closeBrowser);


for (const who of [undefined, "user", "admin", "newcomer"]) {
  test(`pages of ${who ?? "everybody"}`, async () => {
    await withVisitor({}, async (visitor) => {
      if (who) await signIn(visitor, people[who] ?? (await newcomer()));
      for (const page of pages.filter((each) => each.who === who)) {
        await open(visitor, page);
        for (const colorScheme of ["light", "dark"]) {
          await visitor.page.emulateMedia({ colorScheme });
          assert.deepEqual(await findings(visitor.page, ANY), [], `${page.name}, ${colorScheme}`);
        }
        const ids = await visitor.page.locator("[id]").evaluateAll((elements) => elements.map(({ id }) => id));
        assert.deepEqual(ids.filter((id, index) => ids.indexOf(id) !== index), [], `ids that ${page.name} has twice`);
        await visitor.page.setViewportSize({ width: 360, height: 740 });
        const width = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= 360, `${page.name} is ${width} pixels wide on a phone`);
        const cut = await visitor.page.locator(".table-frame").evaluateAll((frames) =>
          frames.filter((frame) => frame.scrollWidth > frame.clientWidth).map((frame) => frame.ariaLabel));
        assert.deepEqual(cut, [], `tables of ${page.name} that a phone cuts off`);
        assert.deepEqual(await findings(visitor.page, ANY), [], `${page.name}, on a phone`);
        await visitor.page.setViewportSize({ width: 1280, height: 720 });
      }
    });
  });
}

test("the keyboard reaches the content first, and a phone's menu works without scripts", async () => {
  const visitor = await newVisitor({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  await visitor.goto("/");
  await visitor.page.keyboard.press("Tab");
  const first = visitor.page.locator(":focus");
  assert.equal(await first.innerText(), "Skip to content");
  const link = visitor.page.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "All tools" });
  assert.equal(await link.isVisible(), false);
  await visitor.page.locator("details.menu > summary").click();
  await visitor.page.locator("details.tools-menu > summary").click();
  await link.click();
  assert.equal(await visitor.page.getByRole("heading", { level: 1 }).innerText(), "Tools");
  await visitor.close();
});
