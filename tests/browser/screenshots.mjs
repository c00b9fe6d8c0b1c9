// Writes pictures of all pages, or those whose names begin with one of the further arguments, in light, dark and on a phone, to
// the given folder.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { newcomer, open, pages } from "./pages.mjs";
import { closeBrowser, newVisitor, people, signIn } from "./support.mjs";

const [folder, ...names] = process.argv.slice(2);
const wanted = ({ name }) => names.length === 0 || names.some((each) => name.startsWith(each));
const looks = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

await mkdir(folder, { recursive: true });
for (const [look, options] of Object.entries(looks)) {
  for (const who of [undefined, "user", "admin", "newcomer"]) {
    const mine = pages.filter((page) => page.who === who && wanted(page));
    if (mine.length === 0) continue;
    const visitor = await newVisitor(options);
    if (who) await signIn(visitor, people[who] ?? (await newcomer()));
    for (const page of mine) {
      await open(visitor, page);
      await visitor.page.evaluate(() => scrollTo(0, 0));
      // In a window as high as the page, sticky elements cover nothing.
      const height = await visitor.page.evaluate(() => document.documentElement.scrollHeight);
      await visitor.page.setViewportSize({ ...options.viewport, height: Math.max(height, options.viewport.height) });
      await visitor.page.screenshot({ path: join(folder, `${page.name}-${look}.png`), fullPage: true });
      await visitor.page.setViewportSize(options.viewport);
    }
    await visitor.close();
  }
}
await closeBrowser();
