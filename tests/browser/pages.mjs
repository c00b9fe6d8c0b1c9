// Every page there is, with who may see it: each is looked at by axe-core and by `make screenshots`.
// `prepare` may bring the page into the state that is worth a look; `path` may have to wait for what it shows.

import { eventually, url } from "./support.mjs";

const account = process.env.DOCMILL_ACCOUNT;

const headers = { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}`, "content-type": "application/json" };

/** The id of a job of the user's account, as soon as it has ended. */
async function endedJob(endpoint, body) {
  const created = await fetch(url(endpoint), { method: "POST", headers, body: JSON.stringify(body) });
  const { id } = (await created.json()).job;
  await eventually(`${endpoint} has ended`, async () => {
    const { job } = await (await fetch(url(`/v1/jobs/${id}`), { headers })).json();
    return ["completed", "failed"].includes(job.status);
  });
  return id;
}

/** Made when the first page asks for it. */
function once(make) {
  let made;
  return () => (made ??= make());
}

const completed = once(() => endedJob("/v1/convert/html-to-pdf", {
  html: "<h1>Invoice 4711</h1><img src='http://10.0.0.1/logo.png'>", metadata: { order: "4711" }, filename: "invoice.pdf",
}));
const failed = once(() => endedJob("/v1/convert/office-to-pdf", {
  sourceUrl: `${process.env.SAMPLES_URL}/no-such-document.docx`,
}));

/** A form that comes back with what is wrong in it. */
async function refuse(page) {
  await page.getByLabel("Name").fill("Not A Name");
  await page.getByLabel(/^Origins/).fill("example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#id-error").waitFor();
}

async function refuseKey(page) {
  await page.getByLabel("Name").fill("Nightly reports");
  await page.getByLabel(/^Origins/).fill("https://ok.example\nnonsense");
  await page.getByLabel(/^Last day/).fill("2020-01-01");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.locator("#origins-error").waitFor();
}

async function createKey(page) {
  await page.getByLabel("Name").fill("Nightly reports");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.locator("#secret").waitFor();
}

/** Two files in the list, not uploaded yet. */
async function chooseTwo(page) {
  const file = (name) => ({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") });
  await page.locator("#file").setInputFiles([file("cover.pdf"), file("report.pdf")]);
  await page.getByRole("button", { name: "Move up: report.pdf" }).waitFor();
}

const click = (role, name) => async (page) => {
  await page.getByRole(role, { name }).first().click();
  await page.waitForLoadState();
};

/** The tools by category, which a phone folds away twice. */
async function openMenu(page) {
  const summary = page.locator("details.menu > summary");
  if (await summary.isVisible()) await summary.click();
  await page.locator("details.tools-menu > summary").click();
}

export const pages = [
  { name: "home", path: "/" },
  { name: "tools", path: "/tools" },
  { name: "category", path: "/tools/category/office" },
  { name: "tool", path: "/tools/html-to-pdf" },
  { name: "tool-of-several", path: "/tools/merge-pdf" },
  { name: "not-found", path: "/tools/no-such-tool" },
  { name: "docs", path: "/docs" },
  { name: "docs-guide", path: "/docs/first-conversion" },
  { name: "docs-errors", path: "/docs/errors" },
  { name: "docs-error", path: "/docs/errors/source_forbidden" },
  { name: "docs-tools", path: "/docs/tools" },
  { name: "docs-tool", path: "/docs/tools/html-to-pdf" },
  { name: "docs-reference", path: "/docs/api" },
  { name: "docs-endpoint", path: "/docs/api/create-job" },
  { name: "overview", path: "/app", who: "user" },
  { name: "playground", path: "/app/playground", who: "user" },
  { name: "playground-tools", path: "/app/playground", who: "user", prepare: (page) => page.locator(".picker summary").click() },
  { name: "playground-thumbnail", path: "/app/playground?tool=thumbnail", who: "user" },
  { name: "playground-several", path: "/app/playground?tool=merge-pdf", who: "user", prepare: chooseTwo },
  { name: "keys", path: "/app/keys", who: "user" },
  { name: "key-form", path: "/app/keys/new", who: "user" },
  { name: "playground-refused", path: "/app/playground", who: "user", prepare: click("button", "Convert") },
  { name: "playground-completed", path: async () => `/app/playground?job=${await completed()}`, who: "user" },
  { name: "playground-failed", path: async () => `/app/playground?job=${await failed()}`, who: "user" },
  { name: "key-refused", path: "/app/keys/new", who: "user", prepare: refuseKey },
  { name: "key-created", path: "/app/keys/new", who: "user", prepare: createKey },
  { name: "key-regenerate", path: "/app/keys", who: "user", prepare: click("link", /^Regenerate/) },
  { name: "key-revoke", path: "/app/keys", who: "user", prepare: click("link", /^Revoke/) },
  { name: "job-completed", path: async () => `/app/jobs/${await completed()}`, who: "user" },
  { name: "job-failed", path: async () => `/app/jobs/${await failed()}`, who: "user" },
  { name: "sample", path: "/app/webhooks", who: "user", prepare: click("button", "Create a signed sample") },
  { name: "verifier", path: "/app/webhooks/verify", who: "user" },
  { name: "jobs", path: "/app/jobs", who: "user" },
  { name: "webhooks", path: "/app/webhooks", who: "user" },
  { name: "my-tools", path: "/app/tools", who: "user" },
  { name: "webhooks-of-a-kind", path: "/app/webhooks?kind=job.failed", who: "user" },
  { name: "menu", path: "/app", who: "user", prepare: openMenu },
  { name: "forbidden", path: "/admin", who: "user" },
  { name: "admin", path: "/admin", who: "admin" },
  { name: "admin-tools", path: "/admin/tools", who: "admin" },
  { name: "admin-tool", path: "/admin/tools/html-to-pdf", who: "admin" },
  { name: "admin-plans", path: "/admin/plans", who: "admin" },
  { name: "admin-plan", path: "/admin/plans/free", who: "admin" },
  { name: "admin-plan-refused", path: "/admin/plans/new", who: "admin", prepare: refuse },
  { name: "admin-accounts", path: "/admin/accounts", who: "admin" },
  { name: "admin-account", path: `/admin/accounts/${account}`, who: "admin" },
  { name: "admin-account-edit", path: `/admin/accounts/${account}/edit`, who: "admin" },
  { name: "admin-account-grant", path: `/admin/accounts/${account}/grant`, who: "admin" },
  { name: "admin-account-suspension", path: `/admin/accounts/${account}/suspension`, who: "admin" },
  { name: "admin-service", path: "/admin/service", who: "admin" },
  { name: "admin-health", path: "/admin/health", who: "admin" },
  { name: "admin-audit", path: "/admin/audit", who: "admin" },
];

/** Opens a page for a visitor, in the state that is worth a look. */
export async function open(visitor, { path, prepare }) {
  await visitor.goto(typeof path === "string" ? path : await path());
  await prepare?.(visitor.page);
}
