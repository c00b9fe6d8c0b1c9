// The playground: uploads files, creates the job without leaving the page, and polls it until it ends. Repeated requests create
// only one job. Needs requests.js.
"use strict";

const form = document.getElementById("playground");
const result = document.getElementById("result");
let busy = false;
// The chosen files: `{file, name, kind, id}`. An id means that the file was uploaded and need not be sent again.
let entries = [];

const field = (name) => form.elements.namedItem(name);

function say(message) {
  const note = document.createElement("div");
  note.className = "note danger";
  note.role = "alert";
  note.textContent = message;
  result.replaceChildren(note);
}

// Uploads all files that are not uploaded yet.
async function upload() {
  const show = document.getElementById("upload-progress");
  try {
    for (const entry of entries) {
      if (entry.id || !entry.file) continue;
      show.hidden = false;
      entry.id = await send(form.dataset.uploads, entry, mode());
    }
  } finally {
    show.hidden = true;
    showFiles();
  }
}

// Shows the chosen files in order, with buttons to move and remove them, and updates the form.
function showFiles() {
  const list = document.getElementById("file-chosen");
  if (!list) return;
  const several = document.getElementById("file").multiple;
  list.replaceChildren(...entries.map((entry, index) => fileItem(entry, index, several)));
  document.getElementById("uploads").replaceChildren(...entries.flatMap(({ id, name, kind }) =>
    Object.entries({ uploadId: id ?? "", fileName: name, fileType: kind }).map(([field, value]) =>
      Object.assign(document.createElement("input"), { type: "hidden", name: field, value }))));
}

function fileItem(entry, index, several) {
  const item = document.createElement("li");
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = entry.id ? `${entry.name}, uploaded` : entry.name;
  item.append(name);
  if (!several) return item;
  item.draggable = true;
  item.dataset.index = index;
  for (const [label, sign, change] of [["Move up", "↑", -1], ["Move down", "↓", 1], ["Remove", "×", 0]]) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button small", textContent: sign });
    button.ariaLabel = `${label}: ${entry.name}`;
    button.disabled = change !== 0 && !entries[index + change];
    button.addEventListener("click", () => {
      const [moved] = entries.splice(index, 1);
      if (change) entries.splice(index + change, 0, moved);
      changed();
      const row = document.getElementById("file-chosen").children[Math.min(index + change, entries.length - 1)];
      (row?.querySelector(`[aria-label^="${label}"]:not(:disabled)`) ?? row?.querySelector("button:not(:disabled)"))?.focus();
    });
    item.append(button);
  }
  return item;
}

// Updates everything that depends on the list of files.
function changed() {
  showFiles();
  if (!busy) renew();
  showCode();
}

const mode = () => new FormData(form).get("mode");
const contents = () => new URLSearchParams(new FormData(form));

// Submits the form. The response is a part of the page: the job, or the form with its errors.
async function create() {
  const response = await persist(() => ask(form.action, { method: "POST", body: contents() }));
  const text = await response.text();
  if (response.status === 422) {
    form.innerHTML = trusted.createHTML(text);
    restore();
    (form.querySelector("[aria-invalid], [data-invalid] input") ?? form.querySelector("[role=alert]"))?.focus();
    return;
  }
  if (!response.ok) throw new Refused("The form could not be sent. Reload the page and try again.");
  clearErrors();
  replace(text);
  renew();
  history.replaceState(null, "", `${form.dataset.page}?job=${document.getElementById("job").dataset.job}`);
  result.scrollIntoView({ block: "nearest" });
  await follow();
}

// Polls the job until it ends.
async function follow() {
  let shown = null;
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 1.4, 5000)) {
    const job = document.getElementById("job");
    if (!job || !("waiting" in job.dataset)) return;
    await pause(wait);
    const response = await persist(() => ask(job.dataset.page));
    // Another job may be shown by now.
    if (document.getElementById("job") !== job) return;
    if (!response.ok) {
      say("This job no longer exists.");
      return;
    }
    // Unchanged text is not replaced: screen readers would read it out again.
    const text = await response.text();
    if (text !== shown) replace(shown = text);
  }
}

// How long the job has taken so far, even after a reload.
setInterval(() => {
  const timer = result.querySelector("[data-since]");
  if (!timer) return;
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(timer.dataset.since)) / 1000));
  timer.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}, 1000);

// Replaces a part of the page and restores the focus.
function replace(text) {
  const focused = result.contains(document.activeElement) ? document.activeElement.id : "";
  result.innerHTML = trusted.createHTML(text);
  localise(result);
  preview();
  if (focused) document.getElementById(focused)?.focus();
}

// Previews the result's pages and texts. The script is loaded for the first preview.
async function preview() {
  const viewer = result.querySelector(".viewer");
  if (!viewer) return;
  try {
    const { show } = await import(form.dataset.viewer);
    await show(viewer, form.dataset, trusted);
  } catch {
    viewer.textContent = "The preview could not be loaded. Download the file instead.";
  }
}

// Removes the errors of the last request.
function clearErrors() {
  for (const part of form.querySelectorAll("[aria-invalid]")) part.removeAttribute("aria-invalid");
  for (const part of form.querySelectorAll("[data-invalid]")) part.removeAttribute("data-invalid");
  for (const part of form.querySelectorAll(".error")) part.textContent = "";
  for (const part of form.querySelectorAll("[role=alert]")) part.remove();
}

// The next request is a new one.
function renew() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  field("attempt").value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Replaces the form but keeps the chosen files.
function restore() {
  // Rejected files must be uploaded again.
  if (document.querySelector(".drop[data-invalid]")) for (const entry of entries) entry.id = undefined;
  showFiles();
  showSource();
}

// Shows only the field of the chosen source.
function showSource() {
  const chosen = new FormData(form).get("source");
  for (const part of form.querySelectorAll(".source")) part.hidden = part.dataset.source !== chosen;
}

let asked = 0;
async function showCode() {
  const number = ++asked;
  await pause(300);
  if (number !== asked) return;
  try {
    const response = await ask(form.dataset.code, { method: "POST", body: contents() });
    if (!response.ok || number !== asked) return;
    const code = document.getElementById("code");
    code.innerHTML = trusted.createHTML(await response.text());
    makeTabs(code);
  } catch {
    // The next change asks again.
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  const button = form.querySelector("[type=submit]");
  button.setAttribute("aria-disabled", "true");
  try {
    if (/^files?$/.test(new FormData(form).get("source"))) await upload();
    await create();
  } catch (error) {
    say(error instanceof Refused ? error.message : "Something went wrong. Reload the page and try again.");
  } finally {
    busy = false;
    form.querySelector("[type=submit]").removeAttribute("aria-disabled");
  }
});

form.addEventListener("input", (event) => {
  if (event.target.id === "file") {
    const input = event.target;
    const chosen = [...input.files].map((file) => ({ file, name: file.name, kind: file.type || "application/octet-stream" }));
    entries = input.multiple ? [...entries, ...chosen].slice(0, Number(input.dataset.most)) : chosen;
    document.getElementById("file-error").textContent = "";
    showFiles();
  }
  showSource();
  if (!busy) renew();
  showCode();
});

acceptDrops(form);

// Files of the list can be dragged into another order.
form.addEventListener("dragstart", (event) => {
  const item = event.target.closest?.("#file-chosen li");
  if (item) event.dataTransfer.setData("text/x-position", item.dataset.index);
});
form.addEventListener("drop", (event) => {
  const item = event.target.closest?.("#file-chosen li");
  const from = event.dataTransfer.getData("text/x-position");
  if (!item || from === "") return;
  event.preventDefault();
  const [moved] = entries.splice(Number(from), 1);
  entries.splice(Number(item.dataset.index), 0, moved);
  changed();
});

entries = [...document.querySelectorAll("#file-chosen li")].map((item) => (
  { name: item.textContent.trim(), kind: item.dataset.kind, id: item.dataset.upload }));
if (entries.length) showFiles();
showSource();
preview();
follow();
