// Administrators' changes take effect everywhere and for every key, and are in the audit trail under their name.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { administer, base, closeBrowser, eventually, mainText, newPerson, people, signIn, url, withVisitor, withoutCache } from "./support.mjs";

after(closeBrowser);

/** An account of this test alone, with a live key. */
async function newAccount() {
  const name = `Admin journey ${randomUUID()}`;
  const { account } = await administer("account", "create", "--name", name);
  const { key } = await administer("key", "create", "--account", account.id, "--name", "journey");
  return { id: account.id, name, secret: key.secret };
}

const api = async (path, secret) => {
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${secret}` } });
  return { status: response.status, body: await response.json() };
};

const save = (page) => page.getByRole("button", { name: "Save" }).click();

test("a hidden tool leaves the listing, the menu, the homepage and the API, and comes back", async () => {
  const { secret } = await newAccount();
  const places = ["Public page", "Category pages", "Navigation", "Homepage", "API"];
  const slug = "html-to-pdf";
  const shown = async (page) => {
    await page.goto(url("/tools"));
    const [listed, menu] = await Promise.all([
      mainText(page), page.getByRole("navigation", { name: "Site" }).textContent(),
    ]);
    const name = /HTML to PDF/i;
    await page.goto(url("/"));
    const homepage = await page.locator("main ul.cards").allTextContents();
    const { body } = await api("/v1/tools", secret);
    const own = (await page.goto(url(`/tools/${slug}`))).status();
    return [
      name.test(listed), name.test(menu), homepage.some((text) => name.test(text)),
      body.tools.some((tool) => tool.slug === slug), own === 200,
    ];
  };
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/tools");
    const toggle = async (on) => {
      await page.goto(url(`/admin/tools/${slug}`));
      for (const place of places) await page.getByLabel(place, { exact: true }).setChecked(on);
      await page.getByLabel("Reason").fill(on ? "journey: show it" : "journey: hide it");
      await save(page);
      await page.waitForURL(url("/admin/tools"));
      assert.match(await mainText(page), /was saved/);
    };
    await withVisitor({}, async ({ page: guest }) => {
      await withoutCache(guest);
      try {
        await toggle(false);
        await eventually("the tool is nowhere", async () => (await shown(guest)).every((place) => !place));
      } finally {
        await toggle(true);
      }
      await eventually("the tool is everywhere", async () => (await shown(guest)).every((place) => place));
    });
    await page.goto(url(`/admin/audit?subject=tool/${slug}`));
    const newest = await page.locator("tbody tr").first().innerText();
    assert.match(newest, new RegExp(people.admin.email));
    assert.match(newest, /pageVisibility\.api.*off → on/s);
    assert.match(newest, /journey: show it/);
  });
});

test("of two forms opened at once, the later one shows the conflict, keeps its entries, and can still be saved", async () => {
  const id = `journey-${randomUUID().slice(0, 8)}`;
  await administer("plan", "set", id, "--included-credits", "10");
  await withVisitor({}, async (visitor) => {
    const { page, context } = visitor;
    await signIn(visitor, people.admin, `/admin/plans/${id}`);
    const other = await context.newPage();
    await other.goto(url(`/admin/plans/${id}`));
    await other.getByLabel("Credits per month").fill("20");
    await save(other);
    await other.waitForURL(url("/admin/plans"));

    await page.getByLabel("Credits per month").fill("30");
    await save(page);
    const notice = await page.getByRole("alert").innerText();
    assert.match(notice, /Somebody else changed this/);
    assert.match(notice, /included_credits\s+20\s+30/);
    assert.equal(await page.getByLabel("Credits per month").inputValue(), "30");
    assert.equal((await administer("plan", "show", id)).plan.included_credits, 20);
    await save(page);
    await page.waitForURL(url("/admin/plans"));
    assert.equal((await administer("plan", "show", id)).plan.included_credits, 30);
  });
});

test("limits of a plan and of the service are published to their keys, and hold", async () => {
  const plan = `journey-${randomUUID().slice(0, 8)}`;
  await administer("plan", "set", plan, "--included-credits", "10", "--all-tools");
  const { id, secret } = await newAccount();
  await administer("account", "set", id, "--plan", plan);
  const limits = async () => {
    const { status, body } = await api("/v1/tools/merge-pdf/schema", secret);
    assert.equal(status, 200, JSON.stringify(body));
    return body.tool.metadata.limits;
  };
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, `/admin/plans/${plan}`);
    const set = async (path, values, reason) => {
      await page.goto(url(path));
      for (const [label, value] of Object.entries(values)) await page.getByLabel(new RegExp(`^${label}`)).fill(value);
      const why = page.getByLabel("Reason");
      if (await why.count()) await why.fill(reason);
      await save(page);
      await page.getByText(/was saved|were saved/).waitFor();
    };
    await set(`/admin/plans/${plan}`, { Sources: "2", Pages: "50" }, "journey: narrow the plan");
    await eventually("the plan's limits are published", async () => {
      const { sources, pages } = await limits();
      return sources === 2 && pages === 50;
    });
    const sources = Array(3).fill({ html: "<p>x" });
    const refused = await fetch(`${base}/v1/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ toolSlug: "merge-pdf", sources }),
    });
    const { error } = await refused.json();
    assert.deepEqual([refused.status, error.code, error.details[0].path], [422, "validation_failed", "/sources"]);

    try {
      await set("/admin/service", { Pages: "40", Redirects: "2" }, "journey: narrow the service");
      await eventually("the service's limits are published", async () => {
        const { pages, redirects, sources } = await limits();
        return pages === 40 && redirects === 2 && sources === 2;
      });
    } finally {
      await set("/admin/service", { Pages: "", Redirects: "" }, "journey: as it was");
    }
    await eventually("the plan's own limit holds again", async () => (await limits()).pages === 50);
    await page.goto(url(`/admin/plans/${plan}`));
    assert.equal(await page.getByLabel(/^Sources/).inputValue(), "2");
  });
});

test("errors of a form appear at their fields, and entries are kept", async () => {
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/plans/new");
    await page.getByLabel("Name").fill("Not A Plan Name");
    await page.getByLabel(/^Origins/).fill("https://a.example\nexample.com");
    await save(page);
    assert.match(await page.locator("#id-error").innerText(), /lower-case/);
    assert.match(await page.locator("#origins-error").innerText(), /“example.com” is not an origin/);
    assert.equal(await page.getByLabel(/^Origins/).inputValue(), "https://a.example\nexample.com");
  });
});

test("a suspension takes effect on the account's keys at once, and so does its end", async () => {
  const { id, name, secret } = await newAccount();
  assert.equal((await api("/v1/tools", secret)).status, 200);
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/accounts");
    await page.getByLabel(/^Id, user/).fill(id);
    await page.getByRole("button", { name: "Search" }).click();
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), name);

    await page.getByRole("link", { name: "Suspend" }).click();
    await page.getByRole("button", { name: "Suspend the account" }).click();
    // Without a reason, the browser does not send the form.
    assert.match(page.url(), /suspension$/);
    await page.getByLabel("Reason").fill("unpaid for three months");
    await page.getByRole("button", { name: "Suspend the account" }).click();
    await page.waitForURL(url(`/admin/accounts/${id}`));
    const refused = await api("/v1/tools", secret);
    assert.deepEqual([refused.status, refused.body.error.code], [403, "account_suspended"]);
    assert.match(await mainText(page), /unpaid for three months/);

    await page.getByRole("link", { name: "Reinstate" }).click();
    await page.getByLabel("Reason").fill("paid");
    await page.getByRole("button", { name: "Reinstate the account" }).click();
    await page.waitForURL(url(`/admin/accounts/${id}`));
    assert.equal((await api("/v1/tools", secret)).status, 200);
  });
});

test("an administrator finds a customer by email address and sees their keys and jobs, each look in the audit trail", async () => {
  const person = await newPerson();
  let account;
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person);
    const { users } = await administer("user", "list");
    account = users.signedIn.find(({ email }) => email === person.email).account;
  });
  const { key } = await administer("key", "create", "--account", account, "--name", "nightly");
  const headers = { authorization: `Bearer ${key.secret}`, "content-type": "application/json" };
  const body = JSON.stringify({ html: "<p>private words</p>", filename: "private-name.pdf" });
  const created = await fetch(url("/v1/convert/html-to-pdf"), { method: "POST", headers, body });
  const { id } = (await created.json()).job;

  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/accounts");
    await eventually("the user is in the index", async () => {
      await page.goto(url("/admin/accounts"));
      await page.getByLabel(/^Id, user/).fill(person.email);
      await page.getByRole("button", { name: "Search" }).click();
      return page.url() === url(`/admin/accounts/${account}`);
    });
    await page.getByRole("link", { name: "View keys" }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    assert.match(await mainText(page), /nightly/);
    assert.doesNotMatch(await mainText(page), new RegExp(key.secret));
    await eventually("the job is in the index", async () => {
      await page.goto(url(`/admin/accounts/${account}/jobs`));
      return (await page.locator(`a[href$="${id}"]`).count()) === 1;
    });
    await page.locator(`a[href$="${id}"]`).click();
    await page.getByRole("heading", { level: 1, name: /^Job/ }).waitFor();
    assert.match(await mainText(page), /html-to-pdf/);
    assert.doesNotMatch(await mainText(page), /private/);
    await page.goto(url(`/admin/accounts/${account}`));
    const changes = await page.getByRole("region", { name: "Entries of the audit trail" }).innerText();
    assert.match(changes, new RegExp(`${people.admin.email}.*viewed the job ${id}.*viewed the jobs.*viewed the keys`, "s"));
  });
});

test("a plan that is offered and the address for credits show on the public page and on the overview", async () => {
  const id = `offer-${randomUUID().slice(0, 8)}`;
  await administer("plan", "set", id, "--included-credits", "12500");
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, `/admin/plans/${id}`);
    await page.getByLabel("List this plan").check();
    await page.getByLabel("Title").fill(`Team ${id}`);
    await page.getByLabel(/^Price/).fill("€29 per month");
    await save(page);
    await page.waitForURL(url("/admin/plans"));
    await page.goto(url("/admin/service"));
    await page.getByLabel(/^Credit contact/).fill("javascript:alert(1)");
    await save(page);
    assert.match(await page.locator("#credits_contact-error").innerText(), /email address or an https/);
    await page.getByLabel(/^Credit contact/).fill("billing@docmill.example");
    await save(page);
    await page.getByText("The settings were saved.").waitFor();
    try {
      await withVisitor({}, async (other) => {
        await withoutCache(other.page);
        await eventually("the plan is listed", async () => {
          await other.page.goto(url("/plans"));
          const text = await mainText(other.page);
          return text.includes(`Team ${id}`) && text.includes("12,500 credits per month") && text.includes("billing@docmill.example");
        });
        assert.equal(await other.page.locator("main a[href='mailto:billing@docmill.example']").count(), 1);
        await signIn(other, person);
        await eventually("the overview lists the plan", async () => {
          await other.page.goto(url("/app"));
          return (await mainText(other.page)).includes(`Team ${id}`);
        });
      });
    } finally {
      await administer("service", "set", "--no-credits-contact");
      await administer("plan", "set", id, "--no-offer");
    }
    assert.deepEqual((await administer("service", "show")).service.credits_contact, undefined);
  });
});

test("credits are granted once, with a reason, even if the form is sent twice", async () => {
  const { id } = await newAccount();
  await withVisitor({}, async (visitor) => {
    const { page, context } = visitor;
    await signIn(visitor, people.admin, `/admin/accounts/${id}/grant`);
    const hidden = (name) => page.locator(`main input[name=${name}]`).inputValue();
    const form = { grant: await hidden("grant"), csrf_token: await hidden("csrf_token"), credits: "250", reason: "goodwill" };
    await page.getByLabel("Credits").fill(form.credits);
    await page.getByLabel("Reason").fill(form.reason);
    await page.getByRole("button", { name: "Grant" }).click();
    await page.waitForURL(url(`/admin/accounts/${id}`));
    assert.match(await mainText(page), /250 credits were granted/);
    // Like a double click, or a browser that repeats an unanswered request.
    const again = await context.request.post(url(`/admin/accounts/${id}/grant`), { form });
    assert.match(await again.text(), /already granted/);
    assert.equal((await administer("account", "show", id)).account.granted, 250);
  });
});

test("only administrators can open these pages", async () => {
  const { id } = await newAccount();
  const person = await newPerson();
  await withVisitor({}, async (visitor) => {
    await signIn(visitor, person);
    const pages = ["", "/tools", "/tools/html-to-pdf", "/plans", "/plans/new", "/plans/free", "/accounts", `/accounts/${id}`,
      `/accounts/${id}/keys`, `/accounts/${id}/jobs`, `/accounts/${id}/edit`, `/accounts/${id}/grant`, `/accounts/${id}/suspension`, "/service", "/health", "/audit"];
    for (const path of pages) {
      const response = await visitor.goto(`/admin${path}`);
      assert.equal(response.status(), 403, path);
      assert.doesNotMatch(await mainText(visitor.page), new RegExp(id));
    }
  });
});

test("the health page shows the queues and the sweeper", async () => {
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/health");
    await eventually("the sweeper has run", async () => {
      await page.reload();
      return /Last run/.test(await mainText(page));
    });
    const queues = await page.getByRole("region", { name: "Queues" }).locator("tbody tr").allInnerTexts();
    assert.deepEqual(queues.map((row) => row.split("\t")[0].trim()), ["office", "html", "pdf", "webhooks: new events", "webhooks: slow and again", "batches"]);
    assert.ok(queues.slice(0, 3).every((row) => /^\w+\s+\d+\s+\d+\s+\d+$/.test(row)), queues.join("; "));
    assert.ok(queues.slice(3).every((row) => /\s\d+\s+\d+\s+\D*$/.test(row)), queues.join("; "));
  });
});

test("the health page shows failures by engine and cause", async () => {
  const { secret } = await newAccount();
  const create = async (path, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const response = await fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()).job.id;
  };
  const ids = [
    await create("/v1/convert/html-to-pdf", { html: "<p>fine</p>" }),
    await create("/v1/convert/office-to-pdf", { sourceUrl: `${process.env.SAMPLES_URL}/no-such-document.docx` }),
  ];
  const ended = async (id) => ["completed", "failed"].includes((await api(`/v1/jobs/${id}`, secret)).body.job.status);
  await eventually("both jobs have ended", async () => (await Promise.all(ids.map(ended))).every(Boolean));
  await withVisitor({}, async (visitor) => {
    const { page } = visitor;
    await signIn(visitor, people.admin, "/admin/health");
    assert.match(await mainText(page), /These are the last \d+ jobs that ended.*all that ended since/s);
    const rows = await page.getByRole("region", { name: "Failures by tool and engine" }).locator("tbody tr").allInnerTexts();
    const row = (tool, engine) => rows.find((text) => text.startsWith(tool) && text.includes(engine)) ?? "";
    assert.match(row("html-to-pdf", "chromium"), /^html-to-pdf\s+chromium\s+\d+\s+\d+ \(\d+\.\d%\)/);
    assert.match(row("office-to-pdf", "\u2013"), /\(100\.0%\).*source_unreachable \d/s);
  });
});
