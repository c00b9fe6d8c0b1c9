// The cost of a first visit to a page: at most 50 KB in five requests, all to us. Files that a result's preview needs are loaded
// with the result.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { newcomer, open, pages } from "./pages.mjs";
import { base, closeBrowser, people, signIn, withoutCache, withVisitor } from "./support.mjs";

after(closeBrowser);

// The playground has the option forms of every step, and the script for boxes drawn on a page.
const mostBytes = (name) => (name.startsWith("playground") ? 62_000 : 50_000);
const MOST_REQUESTS = 5;

for (const who of [undefined, "user", "admin", "newcomer"]) {
  test(`pages of ${who ?? "everybody"} are small, need few requests, and ask nobody else`, async () => {
    await withVisitor({}, async (visitor) => {
      if (who) await signIn(visitor, people[who] ?? (await newcomer()));
      await withoutCache(visitor.page);
      let answers = [];
      visitor.page.on("response", (answer) => answers.push(answer));
      for (const { name, path } of pages.filter((page) => page.who === who && !page.hasResult)) {
        answers = [];
        await open(visitor, { path });
        await visitor.page.waitForLoadState("networkidle");
        const sizes = await Promise.all(answers.map(async (answer) => (await answer.request().sizes()).responseBodySize));
        const size = sizes.reduce((sum, each) => sum + each, 0);
        assert.ok(size < mostBytes(name), `${name}: ${size} bytes`);
        assert.ok(answers.length <= MOST_REQUESTS, `${name}: ${answers.map((answer) => answer.url())}`);
        assert.ok(answers.every((answer) => answer.url().startsWith(base)), name);
      }
    });
  });
}
