// Signing in and out, and what happens if something is wrong.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import {
  administer, base, closeBrowser, docmill, giveCredentials, mainText, newPerson, newVisitor, people, signIn, url, withVisitor,
} from "./support.mjs";

after(closeBrowser);

const signOut = async (page, name = "Sign out") => {
  await page.locator("details.person > summary").click();
  await page.getByRole("button", { name, exact: true }).click();
};

test("a user signs in, is remembered, and signs out for good", async () => {
  await withVisitor({}, async (visitor) => {
    const { page, goto, context } = visitor;
    await signIn(visitor, people.user);
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    assert.match(await page.locator("details.person").innerText(), new RegExp(people.user.email));
    const cookies = await context.cookies();
    const session = cookies.find(({ name }) => name.endsWith("session"));
    assert.ok(session.httpOnly && session.sameSite === "Lax", JSON.stringify(session));
    assert.ok(!cookies.some(({ name }) => name.endsWith("sign-in")), "nothing is left of the attempt");

    await signOut(page);
    await page.waitForURL(url("/"));
    assert.match(await mainText(page), /You are signed out/);
    await page.reload();
    assert.doesNotMatch(await mainText(page), /You are signed out/, "said once");
    // A copied cookie is worthless now.
    await context.addCookies([session]);
    await goto("/app");
    assert.ok(await page.getByLabel("Password").isVisible());
  });
});

test("a wrong password is refused", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    await goto("/app");
    await giveCredentials(page, { ...people.user, password: "not the password" });
    await page.getByText("Incorrect username or password").waitFor();
    await goto("/app");
    assert.ok(await page.getByLabel("Password").isVisible());
  });
});

test("sign-in returns to the requested page, and never to another site", async () => {
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, people.user, "/app/tools?from=mail");
    assert.match(await mainText(visitor.page), /office-to-pdf/);
  });
  for (const place of ["//evil.example/", "https://evil.example/", "/\\evil.example", "/app/sign-out"]) {
    await withVisitor({}, async ({ page, goto }) => {
      await goto(`/app/sign-in?return_to=${encodeURIComponent(place)}`);
      await giveCredentials(page, people.user);
      await page.waitForURL(url("/app"));
    });
  }
});

test("a form of an ended session leads to the sign-in and back to its page", async () => {
  const person = await newPerson();
  const [first, second] = [await newVisitor(), await newVisitor()];
  await signIn(first, person, "/app/tools");
  await signIn(second, person);
  await signOut(second.page, "Sign out on all devices");
  await second.page.waitForURL(url("/"));
  // The first browser still shows its page.
  await signOut(first.page);
  await first.page.waitForURL(url("/"));
  await first.goto("/app/tools");
  await giveCredentials(first.page, person);
  await first.page.waitForURL(url("/app/tools"));
  await Promise.all([first.close(), second.close()]);
});

test("a form that is sent after the session ended changes nothing, and leads back to its page", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person, "/app/tools?from=here");
    await administer("user", "sign-out", "--email", person.email);
    await visitor.page.evaluate((action) => {
      const form = Object.assign(document.createElement("form"), { method: "post", action });
      document.body.append(form);
      form.submit();
    }, url("/app/keys"));
    await giveCredentials(visitor.page, person);
    await visitor.page.waitForURL(url("/app/tools?from=here"));
    assert.match(await mainText(visitor.page), /office-to-pdf/);
  });
});

test("the issuer's answer is accepted once, only in the browser that started the sign-in", async () => {
  await withVisitor({}, async ({ page, goto }) => {
    const refused = [];
    page.on("response", (response) => {
      if (response.url().includes("/app/callback")) refused.push(response.status());
    });
    await goto("/app/callback?code=stolen&state=guessed");
    assert.match(await mainText(page), /Sign-in failed/);
    await goto("/app");
    await goto("/app/callback?error=access_denied&state=guessed");
    assert.match(await mainText(page), /Sign-in failed/);
    assert.deepEqual(refused, [400, 400]);
  });
});

test("pages of administrators are 403 for users, and open for administrators", async () => {
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, people.user);
    const answer = await visitor.goto("/admin");
    assert.equal(answer.status(), 403);
    assert.match(await mainText(visitor.page), /Only administrators/);
    assert.equal(await visitor.page.getByRole("navigation", { name: "Administration" }).count(), 0);
  });
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, people.admin, "/admin");
    assert.ok(await visitor.page.getByRole("navigation", { name: "Administration" }).isVisible());
  });
});

test("a form without its session's token changes nothing", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person);
    const answer = await visitor.context.request.post(url("/app/sign-out"), { form: { csrf_token: "0".repeat(64) } });
    assert.equal(answer.status(), 403);
    assert.match(await answer.text(), /out of date/);
    await visitor.goto("/app/tools");
    assert.equal(new URL(visitor.page.url()).pathname, new URL(url("/app/tools")).pathname, "still signed in");
  });
});

test("a suspended account is locked out at once, and has access again afterwards", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person);
    const account = await visitor.page.locator("details.person code").textContent();
    await administer("account", "set", account, "--suspended", "on");
    assert.equal((await visitor.goto("/app")).status(), 403);
    assert.match(await mainText(visitor.page), /Account suspended/);
    await administer("account", "set", account, "--suspended", "off");
    assert.equal((await visitor.goto("/app")).status(), 200);
  });
});

test("creating a key asks for the password again and returns to the form", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, goto, context } = visitor;
    await signIn(visitor, person, "/app/keys");
    await goto("/app/keys/new");
    assert.ok(await page.getByLabel("Name").isVisible(), "the password was given a moment ago");
    // Only the session is left, as if the sign-in was hours ago.
    await context.clearCookies({ name: /proof$/ });
    await goto("/app/keys");
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "API keys");
    await page.getByRole("link", { name: "Create a key" }).click();
    const asked = new URL(page.url()).searchParams;
    assert.deepEqual([asked.get("prompt"), asked.get("max_age")], ["login", "0"]);
    await giveCredentials(page, person);
    await page.waitForURL(url("/app/keys/new"));
    // A form that was open all the time leads to the same, and nothing is created.
    await context.clearCookies({ name: /proof$/ });
    await page.getByLabel("Name").fill("Too late");
    await page.getByRole("button", { name: "Create key" }).click();
    await giveCredentials(page, person);
    await page.waitForURL(url("/app/keys/new"));
    await goto("/app/keys");
    assert.ok(!(await mainText(page)).includes("Too late"));
  });
});

test("a cookie of one purpose is refused for another", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { context, goto, page } = visitor;
    await signIn(visitor, person);
    const [session, proof] = ["session", "proof"].map((name) => async () =>
      (await context.cookies()).find((cookie) => cookie.name.endsWith(name)));
    const { value } = await session();
    await context.addCookies([{ ...(await proof()), value }]);
    await goto("/app/keys/new");
    assert.ok(await page.getByLabel("Password").isVisible());
  });
});

test("the command line gets a key of its own once its user agrees in the browser", async () => {
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page, goto } = visitor;
    const home = await mkdtemp(join(tmpdir(), "docmill-login-"));
    const login = async (answer) => {
      // The command's browser is this test's: it only writes down the address.
      const opened = join(home, "opened");
      await rm(opened, { force: true });
      await writeFile(join(home, "browser"), `#!/bin/sh\nprintf %s "$1" > '${opened}.part'\nmv '${opened}.part' '${opened}'\n`, { mode: 0o755 });
      const environment = { PATH: process.env.PATH, HOME: home, BROWSER: join(home, "browser") };
      const command = promisify(execFile)(docmill, ["login", "--browser", "--url", base], { env: environment });
      const ended = command.then(({ stdout }) => stdout, ({ stderr }) => stderr);
      while (!existsSync(opened)) await setTimeout(20);
      await answer(await readFile(opened, "utf8"));
      return ended;
    };
    const refused = await login(async (address) => {
      await page.goto(address);
      await giveCredentials(page, person);
      await page.getByRole("link", { name: "Refuse" }).click();
      await page.getByText("was refused in the browser").waitFor();
    });
    assert.match(refused, /was refused in the browser/);
    const said = await login(async (address) => {
      await page.goto(address);
      await page.getByLabel("Mode").selectOption("test");
      await page.getByRole("button", { name: "Agree" }).click();
      await page.waitForURL(url("/app/connect/done"));
    });
    assert.match(said, /Test key dm_test_….{4} works/);
    assert.equal((await stat(join(home, ".config/docmill/credentials.json"))).mode & 0o777, 0o600);
    await goto("/app/keys");
    assert.match(await mainText(page), new RegExp(`docmill on ${hostname()}`));
    await rm(home, { recursive: true });
  });
});
