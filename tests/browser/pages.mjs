// Every page there is, with who may see it: each is looked at by axe-core and by `make screenshots`.
// `prepare` may bring the page into the state that is worth a look.

export const pages = [
  { name: "home", path: "/" },
  { name: "tools", path: "/tools" },
  { name: "category", path: "/tools/category/office" },
  { name: "tool", path: "/tools/html-to-pdf" },
  { name: "not-found", path: "/tools/no-such-tool" },
  { name: "overview", path: "/app", who: "user" },
  { name: "playground", path: "/app/playground", who: "user" },
  { name: "keys", path: "/app/keys", who: "user" },
  { name: "jobs", path: "/app/jobs", who: "user" },
  { name: "webhooks", path: "/app/webhooks", who: "user" },
  { name: "my-tools", path: "/app/tools", who: "user" },
  { name: "forbidden", path: "/admin", who: "user" },
  { name: "admin", path: "/admin", who: "admin" },
];
