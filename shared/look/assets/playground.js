// The playground: uploads files, creates the job without leaving the page, and polls it until it ends. Repeated requests create
// only one job. Needs requests.js.
"use strict";

const form = document.getElementById("playground");
const result = document.getElementById("result");
let busy = false;
// The chosen sources in order: `{source, value, file, name, kind}`. A file's value is the id of its upload, once it is uploaded.
let entries = [];
// The sample that is on its way to be one of them.
let sample;

const field = (name) => form.elements.namedItem(name);

function say(message) {
  const note = document.createElement("div");
  note.className = "note danger";
  note.role = "alert";
  note.textContent = message;
  result.replaceChildren(note);
}

function sayWhy(error) {
  say(error instanceof Refused ? error.message : "Something went wrong. Reload the page and try again.");
}

// Uploads all files that are not uploaded yet. What is wrong with a file is said beside it.
async function upload() {
  const show = document.getElementById("upload-progress");
  try {
    await sample;
    for (const entry of entries) {
      if (entry.value || !entry.file) continue;
      show.hidden = false;
      entry.value = await send(form.dataset.uploads, entry, mode());
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const place = document.getElementById("file-error");
    place.textContent = error.message;
    place.closest(".drop").toggleAttribute("data-invalid", true);
    document.getElementById("file").focus();
    return false;
  } finally {
    show.hidden = true;
    showFiles();
  }
  return true;
}

const isListed = () => document.getElementById("file").multiple;

// Shows the chosen sources in order, with buttons to move and remove them, and updates the form.
function showFiles() {
  const list = document.getElementById("file-chosen");
  if (!list) return;
  list.replaceChildren(...entries.map((entry, index) => sourceItem(entry, index, isListed())));
  fillUploads();
}

function fillUploads() {
  const fields = ({ source, value, name, kind }) => isListed()
    ? { sourceKind: source, sourceValue: value ?? "", fileName: name ?? "", fileType: kind ?? "" }
    : { uploadId: value ?? "", fileName: name ?? "", fileType: kind ?? "" };
  document.getElementById("uploads").replaceChildren(...entries.flatMap((entry) =>
    Object.entries(fields(entry)).map(([field, value]) =>
      Object.assign(document.createElement("input"), { type: "hidden", name: field, value }))));
}

function sourceItem(entry, index, several) {
  const item = document.createElement("li");
  const name = document.createElement("div");
  name.className = "name";
  if (entry.source === "uploadId") name.textContent = entry.value ? `${entry.name}, uploaded` : entry.name;
  else name.append(sourceField(entry, index));
  item.append(name);
  if (!several) return item;
  item.draggable = entry.source === "uploadId";
  item.dataset.index = index;
  const title = entry.name || `source ${index + 1}`;
  for (const [label, sign, change] of [["Move up", "↑", -1], ["Move down", "↓", 1], ["Remove", "×", 0]]) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button small", textContent: sign });
    button.ariaLabel = `${label}: ${title}`;
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

// The field of a source that is not a file. It belongs to no form: the entry has its value.
function sourceField(entry, index) {
  const template = document.querySelector(`[data-source-field="${entry.source}"]`);
  if (!template) return entry.value;
  const part = template.content.cloneNode(true);
  const control = part.querySelector("input, select, textarea");
  part.querySelector("label").htmlFor = control.id = `entry-${index}`;
  control.removeAttribute("name");
  control.value = entry.value ?? "";
  control.addEventListener("input", () => {
    entry.value = control.value;
    fillUploads();
  });
  return part;
}

// Updates everything that depends on the list of files.
function changed() {
  showFiles();
  showAreas();
  if (!busy) renew();
  showCode();
}

const mode = () => new FormData(form).get("mode");
const hasFiles = () => /^files?$/.test(new FormData(form).get("source"));
const contents = () => new URLSearchParams(new FormData(form));

// Submits the form. The response is a part of the page: the job, or the form with its errors.
async function create() {
  const response = await persist(() => ask(form.action, { method: "POST", body: contents() }));
  const text = await response.text();
  if (response.status === 422) return refuse(text);
  if (!response.ok) throw new Refused("The form could not be sent. Reload the page and try again.");
  clearErrors();
  replace(text);
  renew();
  history.replaceState(null, "", `${form.dataset.page}?job=${document.getElementById("job").dataset.job}`);
  reveal();
  await follow();
  reveal();
}

// Shows the form with its errors.
function refuse(text) {
  form.innerHTML = trusted.createHTML(text);
  restore();
  (form.querySelector("[aria-invalid], [data-invalid] input, fieldset[data-invalid]") ?? form.querySelector("[role=alert]"))?.focus();
}

// Brings the job into view, which is above the form on a phone.
function reveal() {
  const { top } = result.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) result.scrollIntoView({ block: "start" });
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

// Cancels the job without leaving the page.
result.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.setAttribute("aria-disabled", "true");
  const body = new URLSearchParams(new FormData(event.target));
  const response = await persist(() => ask(event.target.action, { method: "POST", body }));
  if (response.ok) replace(await response.text());
  else say("The job could not be canceled. Reload the page and try again.");
});

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
  for (const viewer of result.querySelectorAll(".viewer")) {
    try {
      const { show } = await import(form.dataset.viewer);
      await show(viewer, form.dataset, trusted);
    } catch {
      viewer.textContent = "The preview could not be loaded. Download the file instead.";
    }
  }
}

// Removes the errors of the last request.
function clearErrors() {
  for (const part of form.querySelectorAll("[aria-invalid]")) part.removeAttribute("aria-invalid");
  for (const part of form.querySelectorAll("[data-invalid]")) part.removeAttribute("data-invalid");
  for (const part of form.querySelectorAll(".error")) part.textContent = "";
  for (const part of form.querySelectorAll("[role=alert], .again")) part.remove();
}

// The next request is a new one.
function renew() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  field("attempt").value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Replaces the form but keeps the chosen files.
function restore() {
  // Rejected files must be uploaded again.
  if (document.querySelector(".drop[data-invalid]")) for (const entry of entries) if (entry.file) entry.value = undefined;
  showFiles();
  showSource();
  showAreas();
}

// Shows only the field of the chosen source.
function showSource() {
  const chosen = new FormData(form).get("source");
  for (const part of form.querySelectorAll(".source")) part.hidden = part.dataset.source !== chosen;
}

// Rows of lists

let rows = 0;
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add], [data-remove], [data-add-source]");
  if (!button) return;
  if ("addSource" in button.dataset) {
    entries.push({ source: button.dataset.addSource, value: "" });
    changed();
    if (button.dataset.addSource === "jobId") update();
    document.querySelector("#file-chosen li:last-child :is(input, select, textarea)").focus();
    return;
  }
  const list = button.closest(".list");
  if ("add" in button.dataset) addRow(list).querySelector("input, select, textarea").focus();
  else {
    button.closest("li").remove();
    list.querySelector(":scope > p [data-add]").focus();
  }
  edited(list);
});

// Adds an empty row to a list. Its number is higher than that of every other row.
function addRow(list) {
  const row = list.querySelector(":scope > template").content.cloneNode(true).querySelector("li");
  const number = `${1000 + rows++}`;
  for (const part of row.querySelectorAll("*")) {
    for (const attribute of part.attributes) {
      if (attribute.value.includes("new-row")) attribute.value = attribute.value.replaceAll("new-row", number);
    }
  }
  list.querySelector(":scope > .rows").append(row);
  return row;
}

const edited = (part) => part.dispatchEvent(new Event("input", { bubbles: true }));

// What is filled in as a form, made of what a check of the template or PDF reports, or as JSON again.
form.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-as]");
  if (!button || busy) return;
  busy = true;
  button.setAttribute("aria-disabled", "true");
  try {
    if (button.dataset.as === "option") await renewFields(form.dataset.fields);
    else await checkDocument();
  } catch (error) {
    sayWhy(error);
  } finally {
    busy = false;
    button.removeAttribute("aria-disabled");
  }
});

async function checkDocument() {
  if (hasFiles() && !await upload()) return;
  const response = await persist(() => ask(form.dataset.check, { method: "POST", body: contents() }));
  const text = await response.text();
  if (response.status === 422) return refuse(text);
  if (!response.ok) throw new Refused("The document could not be read. Reload the page and try again.");
  replace(text);
  await follow();
  const job = document.getElementById("job");
  // A document that can't be read has the reason in its panel.
  if (!job || job.querySelector("[role=alert]")) return reveal();
  await renewFields(`${form.dataset.fields}?check=${job.dataset.job}`);
  const note = document.createElement("p");
  note.className = "empty";
  note.textContent = "The form has a field for each value. The result appears here.";
  result.replaceChildren(note);
}

async function renewFields(address) {
  const response = await persist(() => ask(address, { method: "POST", body: contents() }));
  if (!response.ok) throw new Refused("The form could not be made. Write the data as JSON.");
  form.innerHTML = trusted.createHTML(await response.text());
  restore();
  renew();
  showCode();
  form.querySelector("[id='option.data'], [id^='option.data.'], [id^='option.fields']")?.focus();
}

// Areas of pages can be drawn on the pages of a chosen PDF. The script is loaded when they can.
async function showAreas() {
  for (const place of form.querySelectorAll("[data-draw]")) {
    const file = entries[0]?.file;
    if (place.shown === file) continue;
    place.shown = file;
    if (!file || (file.type !== "application/pdf" && !/\.pdf$/i.test(file.name))) {
      place.replaceChildren();
      continue;
    }
    const { draw } = await import(form.dataset.areas);
    const list = place.closest(".list");
    await draw({ place, file, list, name: place.dataset.draw, add: () => addRow(list), edited: () => edited(list), assets: form.dataset, trusted });
  }
}

// Parts of the form that depend on others

let wanted = 0;
// Updates the steps, whose menus list the tools that fit, the price, and the results to choose from.
async function update() {
  const number = ++wanted;
  // Who types in a menu changes it with every letter.
  await pause(400);
  if (number !== wanted) return;
  try {
    const response = await ask(form.dataset.form, { method: "POST", body: contents() });
    if (!response.ok || number !== wanted) return;
    const part = document.createElement("template");
    part.innerHTML = trusted.createHTML(await response.text());
    // A template is parsed as if there were no scripts.
    for (const each of part.content.querySelectorAll("noscript")) each.remove();
    if (number !== wanted) return;
    const focused = document.activeElement.id;
    for (const selector of ["#steps", ".submit-bar [type=submit]"]) {
      const [now, next] = [form.querySelector(selector), part.content.querySelector(selector)];
      if ("open" in now) next.open = now.open;
      if (selector === "#steps") now.replaceWith(next);
      else now.replaceChildren(...next.childNodes);
    }
    fillResults(part.content);
    if (focused) document.getElementById(focused)?.focus();
    showCode();
  } catch {
    // The next change asks again.
  }
}

// Earlier results are only read when somebody wants one.
function fillResults(part) {
  const template = (root) => root.querySelector('template[data-source-field="jobId"]')?.content.querySelector("select");
  const fresh = part.querySelector("select[data-results]") ?? template(part);
  for (const select of [...form.querySelectorAll("select[data-results]"), template(form)]) {
    if (!select) continue;
    const { value } = select;
    select.replaceChildren(...[...fresh.options].map((option) => option.cloneNode(true)));
    select.value = value;
  }
}

form.addEventListener("change", (event) => {
  if (event.target.matches("select[name], [name=source][value=jobId]")) update();
});

// A form that was interrupted by the end of the session comes back after signing in, for the same account in the same tab.
// Passwords and files are not kept.
const DRAFT = "docmill-draft";
leaving = () => {
  const secret = new Set([...form.querySelectorAll("[type=password], [name=csrf_token]")].map((each) => each.name));
  const fields = [...new FormData(form)].filter(([name]) => !secret.has(name));
  const lost = entries.filter(({ file, value }) => file && !value).map(({ name }) => name);
  try {
    sessionStorage.setItem(DRAFT, JSON.stringify({ account: form.dataset.account, fields, lost }));
  } catch { /* Without storage, the form is lost. */ }
};

async function resume() {
  let draft = null;
  try {
    draft = JSON.parse(sessionStorage.getItem(DRAFT));
    sessionStorage.removeItem(DRAFT);
  } catch { /* Without storage, there is none. */ }
  if (draft?.account !== form.dataset.account) return;
  const response = await ask(form.dataset.form, { method: "POST", body: new URLSearchParams(draft.fields) });
  if (!response.ok) return;
  form.innerHTML = trusted.createHTML(await response.text());
  readEntries();
  restore();
  showCode();
  const note = document.createElement("p");
  note.className = "note again";
  note.role = "status";
  note.textContent = `You are signed in again, and your entries are back.${draft.lost.length ? ` Choose again: ${draft.lost.join(", ")}.` : ""}`;
  form.prepend(note);
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
    if (!hasFiles() || await upload()) await create();
  } catch (error) {
    sayWhy(error);
  } finally {
    busy = false;
    form.querySelector("[type=submit]").removeAttribute("aria-disabled");
  }
});

form.addEventListener("input", (event) => {
  if (event.target.id === "file") {
    const input = event.target;
    const chosen = [...input.files].map((file) => (
      { source: "uploadId", file, name: file.name, kind: file.type || "application/octet-stream" }));
    entries = input.multiple ? [...entries, ...chosen].slice(0, Number(input.dataset.most)) : chosen;
    document.getElementById("file-error").textContent = "";
    showFiles();
    showAreas();
  }
  showSource();
  if (!busy) renew();
  showCode();
});

acceptDrops(form);

// A sample is chosen like a file of the person's own.
form.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sample]");
  if (button && !busy) sample = take(button.dataset).catch(sayWhy);
});

async function take(named) {
  const response = await persist(() => ask(named.sample));
  if (!response.ok) return say("The sample is missing.");
  const content = await response.blob();
  const chosen = new DataTransfer();
  chosen.items.add(new File([content], named.name, content));
  const input = document.getElementById("file");
  input.files = chosen.files;
  edited(input);
}

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

function readEntries() {
  const items = [...document.querySelectorAll("#file-chosen li")];
  entries = items.map(({ textContent, dataset: { sourceKind, value, type } }) => (
    { source: sourceKind, value, name: sourceKind === "uploadId" ? textContent.trim() : "", kind: type }));
  if (entries.length) showFiles();
}

readEntries();
showSource();
preview();
follow();
resume();
