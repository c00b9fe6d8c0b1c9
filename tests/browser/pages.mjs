// All pages, with who may see them: axe-core checks each one, and `make screenshots` takes its picture. `prepare` brings a page
// into an interesting state; `path` may wait for its content. A page that `hasResult` loads what the preview needs.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { eventually, newPerson, url } from "./support.mjs";

const account = process.env.DOCMILL_ACCOUNT;

const headers = { authorization: `Bearer ${process.env.DOCMILL_LIVE_KEY}`, "content-type": "application/json" };

/** Made when the first page asks for it. */
function once(make) {
  let made;
  return () => (made ??= make());
}

/** A person whose account is empty. */
export const newcomer = once(() => newPerson());

const post = async (path, body) => {
  const response = await fetch(url(path), { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
};

/** The id of a job of the user's account, as soon as it has ended. */
async function endedJob(tool, body) {
  const { id } = (await post(`/v1/tools/${tool}/jobs`, body)).job;
  await eventually(`${tool} has ended`, async () => {
    const { job } = await (await fetch(url(`/v1/jobs/${id}`), { headers })).json();
    return ["completed", "failed"].includes(job.status);
  });
  return id;
}

/** The id of a batch of which some items failed, as soon as it has ended. */
const batch = once(async () => {
  const items = ["invoice-1", "invoice-2", "invoice-3"].map((name) => ({ html: `<h1>${name}</h1>`, filename: `${name}.pdf` }));
  items.push({ url: `${process.env.SAMPLES_URL}/no-such-page.html` }, { uploadId: `upl_${uploadTime()}70008000000000000000` });
  const { id } = (await post("/v1/batches", { toolSlug: "html-to-pdf", items, output: { archive: true } })).batch;
  await eventually("the batch has ended", async () => {
    const { batch } = await (await fetch(url(`/v1/batches/${id}`), { headers })).json();
    return batch.status === "completed";
  });
  return id;
});

/** The id of a request that was refused, as soon as the log has it. */
const refused = once(async () => {
  const body = JSON.stringify({ toolSlug: "html-to-pdf", html: "<p>", options: { pageSize: "none" } });
  const response = await fetch(url("/v1/jobs"), { method: "POST", headers, body });
  if (response.status !== 422) throw new Error(`refused with ${response.status}`);
  // The emulator looks for new lines twice a second.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return response.headers.get("x-request-id");
});

/** The time in a new upload's id. */
const uploadTime = () => Date.now().toString(16).padStart(12, "0").slice(0, 12);

/** The id of an upload of one of the tests' PDFs. */
async function uploaded(name) {
  const content = await readFile(new URL(`../fixtures/pdf/${name}`, import.meta.url));
  const { upload } = await post("/v1/uploads", { contentType: "application/pdf", bytes: content.length, filename: name });
  await fetch(upload.url, { method: "PUT", headers: upload.headers, body: content });
  return upload.id;
}

const tables = '<h1>Quarterly report</h1><p>Figures by region.</p><table border=1 cellpadding=6><tr><th>Region<th>Sales<tr><td>North<td>1,204<tr><td>South<td>987</table>';

const completed = once(() => endedJob("html-to-pdf", {
  html: "<h1>Invoice 4711</h1><img src='http://10.0.0.1/logo.png'>", metadata: { order: "4711" }, filename: "invoice.pdf",
}));
const failed = once(() => endedJob("office-to-pdf", { sourceUrl: `${process.env.SAMPLES_URL}/no-such-document.docx` }));

/** A job of each kind of result, by the name of its page. */
const results = {
  compared: once(async () => endedJob("compress-pdf", { uploadId: await uploaded("pictures.pdf"), filename: "article.pdf" })),
  pictures: once(async () => endedJob("pdf-to-images", { uploadId: await uploaded("text.pdf") })),
  picture: once(() => endedJob("html-to-image", { html: tables })),
  text: once(async () => endedJob("pdf-to-text", { uploadId: await uploaded("text.pdf") })),
  json: once(async () => endedJob("inspect-document", { uploadId: await uploaded("text.pdf") })),
  files: once(async () => endedJob("split-pdf", { uploadId: await uploaded("text.pdf") })),
  protected: once(() => endedJob("html-to-pdf", { html: tables, then: [{ toolSlug: "protect-pdf", options: { userPassword: "open sesame" } }] })),
};

/** What a result shows as soon as it can be looked at. */
const SHOWN = ".frame canvas, .frame .empty:not(:text('Loading')), .viewer.text pre, .picture img, .pictures li, .downloads li";
const shown = async (page) => {
  await page.locator(SHOWN).first().waitFor();
  await page.waitForLoadState("networkidle");
};

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
  await page.getByLabel(/^Expires on/).fill("2020-01-01");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.locator("#origins-error").waitFor();
}

async function refuseNothing(page) {
  await page.getByRole("button", { name: "Convert" }).click();
  await page.getByText("Choose a file.").waitFor();
}

/** An endpoint's secret, and behind it the endpoint. */
async function addEndpoint(page) {
  await page.getByRole("textbox", { name: "URL" }).fill("https://hooks.example.com/docmill");
  await page.getByLabel("Name").fill("Orders");
  await page.getByRole("button", { name: "Add endpoint" }).click();
  await page.locator("#secret").waitFor();
}

async function showEndpoint(page) {
  await addEndpoint(page);
  await page.getByRole("link", { name: "I have copied it" }).click();
  await page.getByRole("button", { name: "Disable" }).waitFor();
}

/** An endpoint that can't be reached, as soon as an event could not be delivered. */
const undelivered = once(async () => {
  const { webhook } = await post("/v1/webhooks", { url: "https://hooks.example.com/undelivered", description: "Undelivered" });
  await endedJob("html-to-pdf", { html: tables });
  await eventually("a delivery has failed", async () => {
    const { deliveries } = await (await fetch(url(`/v1/webhooks/${webhook.id}/deliveries`), { headers })).json();
    return deliveries[0]?.attempts.length > 0;
  });
  return webhook.id;
});
const openDelivery = (page) => page.locator(".events summary").first().click();
const openOfAws = (page) => page.getByText("For a queue or a bus").click();

/** A tool is not switched off without saying why and confirming it. */
async function refuseTool(page) {
  await page.getByLabel("State").selectOption("disabled");
  await page.getByLabel("Reason").fill("x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#error-summary").waitFor();
}

async function refuseGrant(page) {
  // The service itself refuses what the browser would refuse.
  await page.locator("main form").evaluate((form) => { form.noValidate = true; });
  await page.getByLabel("Credits").fill("0");
  await page.getByLabel("Reason").fill("x");
  await page.getByRole("button", { name: "Grant" }).click();
  await page.locator("#error-summary").waitFor();
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
  await page.locator("#code", { hasText: "report.pdf" }).waitFor();
}

/** Adds the fonts of the tests to the user's account, which may have them already. */
const haveFonts = once(async () => {
  for (const name of ["triangle.ttf", "pair.ttc", "packed.woff2"]) {
    const content = await readFile(new URL(`../fixtures/fonts/${name}`, import.meta.url));
    const { upload } = await post("/v1/uploads", { contentType: "font/ttf", bytes: content.length });
    await fetch(upload.url, { method: "PUT", headers: upload.headers, body: content });
    await post("/v1/fonts", { uploadId: upload.id });
  }
});
const withFonts = async () => {
  await haveFonts();
  return "/app/fonts";
};

async function refuseFont(page) {
  await page.getByLabel("Drop fonts here, or choose some").setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("none") }]);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("#outcomes li").waitFor();
  await page.locator("#upload-progress").waitFor({ state: "hidden" });
}

async function showSample(page) {
  await page.getByRole("link", { name: "Probe Triangle", exact: true }).click();
  await page.getByRole("button", { name: "Show it in this font" }).click();
  await page.locator("#sample-line[style]").waitFor();
}

const zoom = async (page) => {
  await shown(page);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.locator(".frame[data-zoomed]").first().waitFor();
};

async function refuseOptions(page) {
  await page.getByLabel("A URL").check();
  await page.getByLabel("URL", { exact: true }).fill("ftp://files.example/report.docx");
  await page.getByText("Options", { exact: true }).click();
  await page.getByLabel("Image quality").fill("101");
  await page.getByRole("button", { name: "Convert" }).click();
  await page.getByText("Must be at most 100.").waitFor();
}

/** An area on the first page of a PDF. */
async function drawArea(page) {
  await page.locator("#file").setInputFiles(fileURLToPath(new URL("../fixtures/pdf/text.pdf", import.meta.url)));
  await page.getByRole("img", { name: "text.pdf, page 1 of 5" }).waitFor();
  const sheet = page.locator(".draw .sheet");
  await sheet.scrollIntoViewIfNeeded();
  const { x, y } = await sheet.boundingBox();
  await page.mouse.move(x + 40, y + 40);
  await page.mouse.down();
  await page.mouse.move(x + 160, y + 80);
  await page.mouse.up();
  await page.locator(".draw .area").waitFor();
}

async function chain(page) {
  await page.getByText("Further steps", { exact: true }).click();
  await page.getByLabel(/^Step 2/).selectOption("compress-pdf");
  await page.getByLabel(/^Step 3/).selectOption("watermark-pdf");
  await page.locator('[name="step.1.option.text"]').fill("DRAFT");
}

/** A job whose news never comes, as it is while a worker is busy. */
async function wait(page) {
  await page.getByLabel("HTML", { exact: true }).first().check();
  await page.getByRole("textbox", { name: "HTML", exact: true }).fill(tables);
  await page.route("**/app/playground/jobs/*", () => {});
  await page.getByRole("button", { name: "Convert" }).click();
  await page.locator("#job").waitFor();
  await page.unroute("**/app/playground/jobs/*");
}

async function loseConnection(page) {
  await page.getByLabel("HTML", { exact: true }).first().check();
  await page.getByRole("textbox", { name: "HTML", exact: true }).fill(tables);
  await page.route("**/app/playground", (route) => route.abort("internetdisconnected"));
  await page.getByRole("button", { name: "Convert" }).click();
  await page.getByText("The connection is lost.").waitFor();
  await page.unroute("**/app/playground");
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
  { name: "plans", path: "/plans" },
  { name: "docs", path: "/docs" },
  { name: "docs-guide", path: "/docs/first-conversion" },
  { name: "docs-errors", path: "/docs/errors" },
  { name: "docs-error", path: "/docs/errors/source_forbidden" },
  { name: "docs-tools", path: "/docs/tools" },
  { name: "docs-tool", path: "/docs/tools/html-to-pdf" },
  { name: "docs-reference", path: "/docs/api" },
  { name: "docs-endpoint", path: "/docs/api/create-job" },
  { name: "docs-job", path: "/docs/api/job-object" },
  ...["changelog", "status", "security", "terms"].map((name) => ({ name: `docs-${name}`, path: `/docs/${name}` })),
  { name: "docs-warnings", path: "/docs/warnings" },
  { name: "overview", path: "/app", who: "user" },
  { name: "playground", path: "/app/playground", who: "user" },
  { name: "playground-tools", path: "/app/playground", who: "user", prepare: (page) => page.locator(".picker summary").click() },
  { name: "playground-thumbnail", path: "/app/playground?tool=thumbnail", who: "user" },
  { name: "playground-several", path: "/app/playground?tool=merge-pdf", who: "user", prepare: chooseTwo },
  { name: "keys", path: "/app/keys", who: "user" },
  { name: "key-form", path: "/app/keys/new", who: "user" },
  { name: "playground-refused", path: "/app/playground", who: "user", prepare: refuseNothing },
  { name: "playground-completed", path: async () => `/app/playground?job=${await completed()}`, who: "user", prepare: shown, hasResult: true },
  ...Object.entries(results).map(([name, job]) => (
    { name: `playground-${name}`, path: async () => `/app/playground?job=${await job()}`, who: "user", prepare: shown, hasResult: true })),
  { name: "playground-zoomed", path: async () => `/app/playground?job=${await results.compared()}`, who: "user", prepare: zoom, hasResult: true },
  { name: "playground-invalid", path: "/app/playground?tool=office-to-pdf", who: "user", prepare: refuseOptions },
  { name: "playground-parts", path: "/app/playground?tool=edit-metadata", who: "user", prepare: (page) => page.getByText("Options", { exact: true }).click() },
  { name: "playground-chain", path: "/app/playground?tool=html-to-pdf", who: "user", prepare: chain },
  { name: "playground-waiting", path: "/app/playground?tool=html-to-pdf", who: "user", prepare: wait },
  { name: "playground-offline", path: "/app/playground?tool=html-to-pdf", who: "user", prepare: loseConnection },
  { name: "playground-failed", path: async () => `/app/playground?job=${await failed()}`, who: "user", hasResult: true },
  { name: "key-refused", path: "/app/keys/new", who: "user", prepare: refuseKey },
  { name: "key-created", path: "/app/keys/new", who: "user", prepare: createKey },
  { name: "key-edit", path: "/app/keys", who: "user", prepare: click("link", /^Edit/) },
  { name: "key-regenerate", path: "/app/keys", who: "user", prepare: click("link", /^Regenerate/) },
  { name: "key-revoke", path: "/app/keys", who: "user", prepare: click("link", /^Revoke/) },
  { name: "job-completed", path: async () => `/app/jobs/${await completed()}`, who: "user", prepare: shown, hasResult: true },
  { name: "job-files", path: async () => `/app/jobs/${await results.files()}`, who: "user", prepare: shown, hasResult: true },
  { name: "playground-areas", path: "/app/playground?tool=redact-pdf", who: "user", prepare: drawArea, hasResult: true },
  { name: "job-failed", path: async () => `/app/jobs/${await failed()}`, who: "user" },
  { name: "sample", path: "/app/webhooks", who: "user", prepare: click("button", "Create a signed sample") },
  { name: "verifier", path: "/app/webhooks/verify", who: "user" },
  { name: "jobs", path: "/app/jobs", who: "user" },
  { name: "batch", path: async () => `/app/batches/${await batch()}`, who: "user" },
  { name: "batches", path: "/app/batches", who: "user" },
  { name: "requests", path: async () => `/app/requests?id=${encodeURIComponent(await refused())}`, who: "user" },
  { name: "requests-all", path: async () => (await refused(), "/app/requests"), who: "user" },
  { name: "request", path: async () => `/app/requests/${encodeURIComponent(await refused())}`, who: "user" },
  { name: "batch-delete", path: async () => `/app/batches/${await batch()}/delete`, who: "user" },
  { name: "templates", path: "/app/templates", who: "user" },
  { name: "fonts", path: withFonts, who: "user" },
  { name: "fonts-refused", path: withFonts, who: "user", prepare: refuseFont },
  { name: "font", path: withFonts, who: "user", prepare: showSample },
  { name: "font-delete", path: withFonts, who: "user", prepare: click("link", /^Delete/) },
  { name: "webhooks", path: "/app/webhooks", who: "user" },
  { name: "webhook-form", path: "/app/webhooks/endpoints/new", who: "user" },
  { name: "webhook-form-aws", path: "/app/webhooks/endpoints/new", who: "user", prepare: openOfAws },
  { name: "webhook-deliveries", path: async () => `/app/webhooks/endpoints/${await undelivered()}`, who: "user", prepare: openDelivery },
  { name: "webhook-created", path: "/app/webhooks/endpoints/new", who: "user", prepare: addEndpoint },
  { name: "webhook", path: "/app/webhooks/endpoints/new", who: "user", prepare: showEndpoint },
  { name: "my-tools", path: "/app/tools", who: "user" },
  { name: "webhooks-of-a-kind", path: "/app/webhooks?kind=job.failed", who: "user" },
  { name: "menu", path: "/app", who: "user", prepare: openMenu },
  { name: "forbidden", path: "/admin", who: "user" },
  { name: "overview-empty", path: "/app", who: "newcomer" },
  { name: "keys-empty", path: "/app/keys", who: "newcomer" },
  { name: "fonts-empty", path: "/app/fonts", who: "newcomer" },
  { name: "jobs-empty", path: "/app/jobs", who: "newcomer" },
  { name: "jobs-none-match", path: "/app/jobs?status=canceled", who: "newcomer" },
  { name: "webhooks-empty", path: "/app/webhooks", who: "newcomer" },
  { name: "admin", path: "/admin", who: "admin" },
  { name: "admin-tools", path: "/admin/tools", who: "admin" },
  { name: "admin-tool", path: "/admin/tools/html-to-pdf", who: "admin" },
  { name: "admin-plans", path: "/admin/plans", who: "admin" },
  { name: "admin-plan", path: "/admin/plans/free", who: "admin" },
  { name: "admin-plan-refused", path: "/admin/plans/new", who: "admin", prepare: refuse },
  { name: "admin-tool-refused", path: "/admin/tools/html-to-pdf", who: "admin", prepare: refuseTool },
  { name: "admin-grant-refused", path: `/admin/accounts/${account}/grant`, who: "admin", prepare: refuseGrant },
  { name: "admin-accounts", path: "/admin/accounts", who: "admin" },
  { name: "admin-account", path: `/admin/accounts/${account}`, who: "admin" },
  { name: "admin-account-keys", path: `/admin/accounts/${account}/keys`, who: "admin" },
  { name: "admin-account-jobs", path: `/admin/accounts/${account}/jobs`, who: "admin" },
  { name: "admin-account-job", path: async () => `/admin/accounts/${account}/jobs/${await failed()}`, who: "admin" },
  // Its audit trail has the looks at keys and jobs.
  { name: "admin-account-changes", path: `/admin/accounts/${account}`, who: "admin", prepare: (page) => page.getByText("viewed the keys").first().waitFor() },
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
