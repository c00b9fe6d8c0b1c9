// What pages do beyond links and forms: copy a text, ask before something is lost, close an open menu.
"use strict";

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
      // Without a secure context there is no clipboard: select it, so that one key press copies.
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

// On a phone a table's rows stand one below the other, and each cell says what its column is called. A table that is
// laid out otherwise is none to every screen reader: the roles say that it is one.
const ROLES = { table: "table", thead: "rowgroup", tbody: "rowgroup", tr: "row", "thead th": "columnheader", "tbody th": "rowheader", td: "cell" };
function name(part) {
  for (const table of part.querySelectorAll(".table-frame table:not(.numbers)")) {
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
name(document);
document.addEventListener("htmx:load", (event) => name(event.target.parentElement ?? event.target));
