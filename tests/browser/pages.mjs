// Every page there is, with who may see it: each is looked at by axe-core and by `make screenshots`.
// `prepare` may bring the page into the state that is worth a look.

const account = process.env.DOCMILL_ACCOUNT;

/** A form that comes back with what is wrong in it. */
async function refuse(page) {
  await page.getByLabel("Name").fill("Not A Name");
  await page.getByLabel(/^Origins/).fill("example.com");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#id-error").waitFor();
}

export const pages = [
  { name: "home", path: "/" },
  { name: "tools", path: "/tools" },
  { name: "category", path: "/tools/category/office" },
  { name: "tool", path: "/tools/html-to-pdf" },
  { name: "not-found", path: "/tools/no-such-tool" },
  { name: "overview", path: "/app", who: "user" },
  { name: "playground", path: "/app/playground", who: "user" },
  { name: "keys", path: "/app/keys", who: "user" },
  { name: "key-form", path: "/app/keys/new", who: "user" },
  { name: "verifier", path: "/app/webhooks/verify", who: "user" },
  { name: "jobs", path: "/app/jobs", who: "user" },
  { name: "webhooks", path: "/app/webhooks", who: "user" },
  { name: "my-tools", path: "/app/tools", who: "user" },
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
