// Writes every page as a picture, in light, in dark and on a phone, to the folder that is given.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { open, pages } from "./pages.mjs";
import { closeBrowser, newVisitor, people, signIn } from "./support.mjs";

const folder = process.argv[2];
const looks = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

await mkdir(folder, { recursive: true });
for (const [look, options] of Object.entries(looks)) {
  for (const who of [undefined, "user", "admin"]) {
    const visitor = await newVisitor(options);
    if (who) await signIn(visitor, people[who]);
    for (const page of pages.filter((each) => each.who === who)) {
      await open(visitor, page);
      await visitor.page.evaluate(() => scrollTo(0, 0));
      await visitor.page.screenshot({ path: join(folder, `${page.name}-${look}.png`), fullPage: true });
    }
    await visitor.close();
  }
}
await closeBrowser();
