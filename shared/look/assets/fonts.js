// The pages of fonts: adds files one by one, reports on each, and shows a sample in the font. Needs requests.js.
"use strict";

const addForm = document.getElementById("add-fonts");
const sample = document.getElementById("font-sample");

// Adding

let chosen = [];
let adding = false;

function showChosen() {
  document.getElementById("file-chosen").replaceChildren(...chosen.map(({ name }) => {
    const item = document.createElement("li");
    item.textContent = name;
    return item;
  }));
}

function tell(name, words, good) {
  const item = document.createElement("li");
  const strong = document.createElement("strong");
  strong.textContent = name;
  item.className = good ? "" : "error";
  item.append(strong, `: ${words}`);
  document.getElementById("outcomes").append(item);
}

// A repeated request adds the same font only once.
async function add(file) {
  const uploadId = await send(addForm.dataset.uploads, { file, kind: file.type || "application/octet-stream" });
  const body = new URLSearchParams({ uploadId });
  const response = await persist(() => ask(addForm.action, { method: "POST", body }));
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.message);
  const { family, faces } = answer.font;
  return faces.length > 1 ? `added as ${family}, ${faces.length} styles` : `added as ${family} ${faces[0].style}`;
}

async function refresh() {
  const response = await persist(() => ask(addForm.dataset.rows));
  if (!response.ok) return;
  const list = document.getElementById("fonts");
  list.innerHTML = trusted.createHTML(await response.text());
  name(list);
  localise(list);
}

async function addAll(files) {
  for (const file of files) {
    try {
      const words = await add(file);
      await refresh();
      tell(file.name, words, true);
    } catch (error) {
      tell(file.name, error instanceof Refused ? error.message : "Something went wrong. Reload the page and try again.", false);
    }
  }
}

function startAdding() {
  acceptDrops(addForm);
  const error = document.getElementById("file-error");
  addForm.addEventListener("input", ({ target }) => {
    chosen = [...target.files];
    error.textContent = "";
    showChosen();
  });
  addForm.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (adding) return;
    document.getElementById("outcomes").replaceChildren();
    if (chosen.length === 0) {
      error.textContent = "Choose a font.";
      document.getElementById("file").focus();
      return;
    }
    adding = true;
    const [button, progress] = [addForm.querySelector("[type=submit]"), document.getElementById("upload-progress")];
    button.ariaDisabled = true;
    progress.hidden = false;
    const files = chosen;
    chosen = [];
    addForm.reset();
    showChosen();
    try {
      await addAll(files);
    } finally {
      adding = false;
      progress.hidden = true;
      button.ariaDisabled = null;
    }
  });
}

// The sample

async function showSample(line, error) {
  const response = await fetch(sample.dataset.font);
  if (!response.ok) {
    error.textContent = "The font could not be loaded. Reload the page and try again.";
    return;
  }
  const face = new FontFace("docmill-sample", await response.arrayBuffer());
  try {
    document.fonts.add(await face.load());
    line.style.fontFamily = "docmill-sample";
  } catch {
    error.textContent = "This browser can't show the font. Jobs can use it.";
  }
}

function startSample() {
  const [line, text] = [document.getElementById("sample-line"), document.getElementById("sample-text")];
  const [button, error] = [document.getElementById("show-sample"), document.getElementById("sample-error")];
  text.addEventListener("input", () => { line.textContent = text.value; });
  button.addEventListener("click", async () => {
    error.textContent = "";
    try {
      await showSample(line, error);
    } catch {
      error.textContent = "The connection is lost. Try again.";
    }
  });
}

if (addForm) startAdding();
if (sample) startSample();
