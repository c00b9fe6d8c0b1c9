// Behaviour beyond links and forms: the theme, copying, confirmations, menus, tabs, local times, error summaries.
// Browsers run it before they draw the page, so that no page flashes in another theme. The rest waits for the document.
"use strict";

const THEME = "docmill-theme";
const remembered = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* Without storage, only this page knows. */ } };
const showTheme = (theme) => { document.documentElement.dataset.theme = theme ?? "system"; };
showTheme(remembered(THEME));
addEventListener("storage", ({ key, newValue }) => { if (key === THEME) showTheme(newValue); });
function offerThemes() {
  const choice = document.getElementById("theme-choice");
  if (!choice) return;
  choice.value = document.documentElement.dataset.theme;
  choice.parentElement.hidden = false;
  choice.addEventListener("change", () => {
    showTheme(choice.value);
    remember(THEME, choice.value);
  });
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (button) {
    const source = document.getElementById(button.dataset.copy);
    const label = button.querySelector("span") ?? button;
    const words = label.textContent;
    try {
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      label.textContent = "Copied";
    } catch {
      // There is no clipboard without a secure context: select the text, so that one key press copies it.
      getSelection().selectAllChildren(source);
      label.textContent = "Press Ctrl-C";
    }
    setTimeout(() => { label.textContent = words; }, 2000);
  }
  for (const open of document.querySelectorAll("header details[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const open of document.querySelectorAll("header details[open]")) {
    open.open = false;
    open.querySelector("summary").focus();
  }
});

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// On a phone, the rows of a table become cards, and each cell shows the name of its column. Screen readers no longer
// recognise such a table, so its roles are set.
const ROLES = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", "thead th": "columnheader", "tbody th": "rowheader", td: "cell" };
function name(part) {
  for (const table of part.querySelectorAll(".table-frame table")) {
    const columns = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, position) => { cell.dataset.column = columns[position]; });
    }
    for (const [selector, role] of Object.entries(ROLES)) {
      for (const each of selector === "table" ? [table] : table.querySelectorAll(selector)) each.setAttribute("role", role);
    }
    table.dataset.named = "";
  }
}
document.addEventListener("htmx:load", (event) => name(event.target.parentElement ?? event.target));

// Turns examples in several languages into tabs. The chosen language is kept for the next page.
const LANGUAGE = "docmill-language";
function choose(group, label) {
  for (const tab of group.querySelectorAll("[role=tab]")) {
    const on = tab.textContent === label;
    tab.setAttribute("aria-selected", on);
    tab.tabIndex = on ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
  }
}
let groups = 0;
function makeTabs(part) {
  for (const group of part.querySelectorAll("[data-tabs]:not([data-ready])")) makeGroup(group, ++groups);
}
function makeGroup(group, number) {
  const panels = [...group.querySelectorAll(":scope > .code-tab")];
  const list = document.createElement("div");
  list.role = "tablist";
  list.ariaLabel = group.dataset.tabs;
  for (const [index, panel] of panels.entries()) {
    panel.id = `tab-panel-${number}-${index}`;
    panel.role = "tabpanel";
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", role: "tab", id: `tab-${number}-${index}`, textContent: panel.dataset.label });
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("aria-labelledby", tab.id);
    panel.removeAttribute("aria-label");
    list.append(tab);
  }
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (!tab) return;
    for (const each of document.querySelectorAll("[data-tabs]")) choose(each, tab.textContent);
    remember(LANGUAGE, tab.textContent);
  });
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.children];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
  group.prepend(list);
  group.dataset.ready = "";
  const labels = panels.map((panel) => panel.dataset.label);
  choose(group, labels.includes(remembered(LANGUAGE)) ? remembered(LANGUAGE) : labels[0]);
}

// Pages have times in UTC. This shows them in the reader's time zone.
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
function localise(part) {
  for (const time of part.querySelectorAll("time[datetime]:not([data-zoned])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.dataset.zoned = "";
    // "2 min ago" stays, and its title becomes local.
    if ("ago" in time.dataset) {
      time.title = zoned.format(at);
      continue;
    }
    time.title = time.textContent;
    time.textContent = zoned.format(at);
  }
}
// Rows with chosen jobs are not replaced: the choice would be lost.
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.querySelector("[type=checkbox]:checked")) event.preventDefault();
});
document.addEventListener("htmx:load", (event) => localise(event.target.parentElement ?? event.target));

// A rejected form lists the invalid fields at its top and focuses that list.
function summarise() {
  const summary = document.getElementById("error-summary");
  if (!summary) return;
  const list = document.createElement("ul");
  for (const wrong of document.querySelectorAll("main .error[id]")) {
    const field = document.getElementById(wrong.id.replace(/-error$/, ""));
    if (!field || !wrong.textContent) continue;
    const link = document.createElement("a");
    link.href = `#${field.id}`;
    const label = field.labels?.[0] ?? field.querySelector("legend");
    link.textContent = `${label?.firstChild.textContent.trim() ?? field.id}: ${wrong.textContent}`;
    link.addEventListener("click", (event) => { event.preventDefault(); field.focus(); });
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
  summary.append(list);
  summary.focus();
}

// Before the deferred scripts run.
document.addEventListener("readystatechange", () => {
  name(document);
  makeTabs(document);
  localise(document);
  summarise();
  offerThemes();
}, { once: true });
