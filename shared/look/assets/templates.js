// The page of templates: adds a file as a version, and lists its mistakes if it has any. Needs requests.js.
"use strict";

const addForm = document.getElementById("add-template");
const [fileError, outcome, mistakes] = ["file-error", "outcome", "mistakes"].map((id) => document.getElementById(id));

let chosen = null;
let adding = false;

function tell(words, good, listed = []) {
  outcome.textContent = words;
  outcome.className = good ? "" : "error";
  mistakes.replaceChildren(...listed.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

// "Invoice template.docx" is called Invoice-template.
function suggested(filename) {
  const stem = filename.replace(/\.[^.]*$/, "").normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-");
  return stem.replace(/^[^A-Za-z0-9]+/, "").slice(0, 64).replace(/-+$/, "");
}

function showChosen() {
  document.getElementById("file-chosen").textContent = chosen?.name ?? "";
}

// A repeated request adds the same upload only once. Gives the template's name and version, or nothing if it was refused.
async function add(file, called) {
  const uploadId = await send(addForm.dataset.uploads, { file, kind: file.type || "application/octet-stream" });
  const body = new URLSearchParams({ uploadId, name: called });
  const response = await persist(() => ask(addForm.action, { method: "POST", body }));
  const answer = await response.json();
  if (!response.ok) {
    tell(answer.message, false, answer.mistakes);
    return null;
  }
  return answer.template;
}

async function refresh() {
  const response = await persist(() => ask(addForm.dataset.rows));
  if (!response.ok) return;
  const list = document.getElementById("templates");
  list.innerHTML = trusted.createHTML(await response.text());
  name(list);
  localise(list);
}

async function submit(field) {
  const [button, progress] = [addForm.querySelector("[type=submit]"), document.getElementById("upload-progress")];
  adding = true;
  button.ariaDisabled = true;
  progress.hidden = false;
  try {
    const added = await add(chosen, field.value.trim());
    if (added) {
      chosen = null;
      addForm.reset();
      showChosen();
      await refresh();
      tell(`${added.name} was added as version ${added.version}.`, true);
    }
  } catch (error) {
    tell(error instanceof Refused ? error.message : "Something went wrong. Reload the page and try again.", false);
  } finally {
    adding = false;
    progress.hidden = true;
    button.ariaDisabled = null;
  }
}

function start() {
  const field = addForm.elements.namedItem("name");
  acceptDrops(addForm);
  addForm.addEventListener("input", ({ target }) => {
    if (target.type !== "file") return;
    chosen = target.files[0] ?? null;
    fileError.textContent = "";
    if (chosen && !field.value) field.value = suggested(chosen.name);
    showChosen();
  });
  addForm.addEventListener("submit", (event) => {
    event.preventDefault();
    if (adding) return;
    tell("", true);
    if (!chosen) {
      fileError.textContent = "Choose a template.";
      document.getElementById("file").focus();
      return;
    }
    submit(field);
  });
}

start();
