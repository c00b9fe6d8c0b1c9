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
