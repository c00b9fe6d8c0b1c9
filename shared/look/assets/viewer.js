// Previews a job's result: PDFs as pictures, side by side with the source where there is one, text as text, documents that
// were read as blocks, and tags as a tree. The playground loads this script with the first preview, and pdf.js with the first PDF.

const ZOOM = 2.5;
// The largest canvas that browsers on phones support is about this size.
const MOST_PIXELS = 12_000_000;
const MOST_WHOLE_BYTES = 20_000_000;
const MOST_TEXT_BYTES = 200_000;
// Of boxes on a page: seen on white as on black, with a contrast of more than 4.
const MARK = "#d6006f";

const PROBLEMS = {
  PasswordException: "This PDF asks for a password, so its pages are not shown here. Download it to open it.",
  ResponseException: "This file is no longer stored.",
};

/** Fills a `.viewer`. `assets` says where pdf.js is, `trusted` is the page's policy for addresses of scripts. */
export async function show(viewer, assets, trusted) {
  const text = viewer.querySelector("[data-text]");
  const blocks = viewer.querySelector("[data-blocks]");
  const places = [...viewer.querySelectorAll("[data-pdf]")];
  const folded = text?.closest("details");
  if (folded) folded.addEventListener("toggle", () => showText(text), { once: true });
  else if (text) await showText(text);
  if (blocks) {
    const [{ showBlocks }] = await Promise.all([import(assets.blocks), loadStyle(assets.blocksStyle)]);
    await showBlocks(blocks, (url) => openPdf({ url }, assets, trusted));
  }
  const tags = viewer.querySelector("[data-tags]");
  if (tags) await showTags(tags, assets, trusted);
  if (places.length) await showPages(viewer, places, assets, trusted);
}

async function showTags(place, assets, trusted) {
  say(place, "Loading the tags …");
  const scripts = [import(assets.tree), import(assets.blocks), import(assets.pdf), loadStyle(assets.blocksStyle)];
  const [{ showTree }, parts, { OPS }] = await Promise.all(scripts);
  let pdf;
  try {
    pdf = await openPdf(located({ pdf: place.dataset.tags, bytes: place.dataset.bytes }), assets, trusted);
  } catch (error) {
    return say(place, PROBLEMS[error.name] ?? "The tags could not be shown. Download the file instead.");
  }
  await showTree(place, pdf, OPS, parts);
}

/** Loads a style sheet once. Without it, everything is still there to read. */
async function loadStyle(href) {
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  await new Promise((resolve) => {
    link.onload = resolve;
    link.onerror = resolve;
    document.head.append(link);
  });
}

function say(place, message) {
  const note = document.createElement("p");
  note.className = "empty";
  note.textContent = message;
  place.replaceChildren(note);
}

// Text

async function showText(place) {
  try {
    const response = await fetch(place.dataset.text, { headers: { range: `bytes=0-${MOST_TEXT_BYTES - 1}` } });
    // An empty file has no first byte to request.
    if (!response.ok && response.status !== 416) throw new Error(response.statusText);
    const text = response.ok ? await response.text() : "";
    const whole = response.status !== 206 || new Blob([text]).size < MOST_TEXT_BYTES;
    const box = document.createElement("pre");
    box.tabIndex = 0;
    box.role = "group";
    box.ariaLabel = place.dataset.name;
    box.textContent = place.dataset.kind === "application/json" && whole ? indented(text) : text;
    place.replaceChildren(box);
    if (!text) say(place, "The result is an empty text.");
    if (!whole) place.append("Only the beginning is shown. Download the file for the rest.");
  } catch {
    say(place, "The preview could not be loaded. Download the file instead.");
  }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Pages

let engine;

/** pdf.js with its worker, loaded once. */
function startEngine(assets, trusted) {
  engine ??= import(assets.pdf).then(({ getDocument, PDFWorker }) => {
    const port = new Worker(trusted.createScriptURL(assets.pdfWorker), { type: "module" });
    const worker = PDFWorker.create({ port });
    const parts = new URL("./", new URL(assets.pdf, location.href)).href;
    // The page's policy does not allow WebAssembly.
    const options = { worker, wasmUrl: parts, useWasm: false, useWorkerFetch: false };
    return (source) => getDocument({ ...options, ...source }).promise;
  });
  return engine;
}

/** Opens a PDF. `source` is an address or data, as pdf.js takes it. */
export async function openPdf(source, assets, trusted) {
  const open = await startEngine(assets, trusted);
  return open(source);
}

/** What pdf.js needs for the file of a place. Large files are fetched page by page. `named`: whether the names of fonts are needed. */
function located({ pdf: url, bytes }, named) {
  const large = bytes > MOST_WHOLE_BYTES;
  return { url, disableAutoFetch: large, disableStream: large, fontExtraProperties: named };
}

async function openSheet(place, open, named) {
  const sheet = { place, frame: place.querySelector(".frame"), pdf: null };
  try {
    sheet.pdf = await open(located(place.dataset, named));
  } catch (error) {
    say(sheet.frame, PROBLEMS[error.name] ?? "The pages could not be shown. Download the file instead.");
  }
  return sheet;
}

async function showPages(viewer, places, assets, trusted) {
  for (const place of places) say(place.querySelector(".frame"), "Loading the pages …");
  let open;
  try {
    open = await startEngine(assets, trusted);
  } catch {
    engine = undefined;
    for (const place of places) say(place.querySelector(".frame"), "The viewer could not be loaded. Download the file instead.");
    return;
  }
  const sheets = await Promise.all(places.map((place) => openSheet(place, open, "fonts" in viewer.dataset)));
  const opened = sheets.filter(({ pdf }) => pdf);
  const count = Math.max(0, ...opened.map(({ pdf }) => pdf.numPages));
  if (count) operate(viewer, opened, count);
}

// Shows the same page of every sheet at the same zoom and position.
function operate(viewer, sheets, count) {
  const bar = viewer.querySelector(".viewer-bar");
  const [previous, next, zoom] = ["previous", "next", "zoom"].map((name) => bar.querySelector(`[data-do="${name}"]`));
  const fonts = substitutes(viewer);
  let number = 1;
  const turn = (to) => {
    number = Math.min(Math.max(to, 1), count);
    // Not `disabled`, which would take the focus away.
    previous.ariaDisabled = number === 1;
    next.ariaDisabled = number === count;
    bar.querySelector("output").textContent = `Page ${number} of ${count}`;
    const marked = fonts?.tell(number);
    const zoomed = zoom.ariaPressed === "true";
    return Promise.all(sheets.map((sheet) => draw(sheet, number, zoomed, marked).catch(() => say(sheet.frame, "This page could not be loaded. Reload to try again."))));
  };
  previous.addEventListener("click", () => turn(number - 1));
  next.addEventListener("click", () => turn(number + 1));
  fonts?.next.addEventListener("click", () => turn(fonts.after(number)));
  fonts?.mark.addEventListener("click", () => {
    fonts.mark.ariaPressed = fonts.mark.ariaPressed !== "true";
    turn(number);
  });
  zoom.addEventListener("click", () => {
    zoom.ariaPressed = zoom.ariaPressed !== "true";
    turn(number);
  });
  for (const { frame } of sheets) {
    frame.addEventListener("scroll", () => {
      for (const other of sheets) if (other.frame !== frame) other.frame.scrollTo(frame.scrollLeft, frame.scrollTop);
    });
  }
  previous.hidden = next.hidden = count === 1;
  bar.hidden = false;
  return turn(1);
}

/** Says which fonts are substituted on a page, and finds the next page that has one. */
function substitutes(viewer) {
  if (!viewer.dataset.fonts) return null;
  const ranged = (pages) => pages.split(",").map((range) => range.split("-").map(Number));
  const fonts = Object.entries(JSON.parse(viewer.dataset.fonts)).map(([name, { pages, standIn }]) => ({ name, standIn, ranges: ranged(pages) }));
  const all = fonts.flatMap(({ ranges }) => ranges);
  const [place, next, mark] = ["[role=status]", '[data-do="substitute"]', '[data-do="mark"]'].map((it) => viewer.querySelector(`.substitutes ${it}`));
  return {
    next,
    mark,
    /** What is to be marked: the families that stand in, and whom to tell the number of places. */
    tell(number) {
      const here = fonts.filter(({ ranges }) => ranges.some(([first, last = first]) => first <= number && number <= last));
      const names = here.map(({ name }) => `“${name}”`).join(", ");
      const told = names ? `Substituted on this page: ${names}.` : "No font is substituted on this page.";
      place.textContent = told;
      if (mark.ariaPressed !== "true" || !names) return undefined;
      const families = new Set(here.flatMap(({ standIn }) => standIn ? [plain(standIn)] : []));
      return { families, count: (places) => { place.textContent = `${told} ${places === 1 ? "1 place is" : `${places} places are`} marked.`; } };
    },
    /** The first one again after the last. */
    after(number) {
      const later = all.filter(([first, last = first]) => last > number).map(([first]) => Math.max(first, number + 1));
      return Math.min(...(later.length > 0 ? later : all.map(([first]) => first)));
    },
  };
}

const plain = (family) => family.replaceAll(/[\s-]/g, "").toLowerCase();

/** The family in a font's name: `ABCDEF+NotoSans-Bold`. Debian's Korean fonts have their family after the hyphen. */
function familyOf(name) {
  const whole = name.replace(/^[A-Z]{6}\+/, "");
  return plain(whole.startsWith("Baekmuk-") ? whole : whole.split(/[-,]/)[0]);
}

/** Draws boxes around the text of a page in these families, and returns how many. The page must have been drawn. */
async function markText(page, context, viewport, families) {
  const { items } = await page.getTextContent();
  const isStandIn = (id) => page.commonObjs.has(id) && families.has(familyOf(page.commonObjs.get(id).name ?? ""));
  const found = items.filter(({ str, fontName }) => str?.trim() && isStandIn(fontName));
  for (const { transform: [a, b, c, d, x, y], width, height } of found) {
    const [along, up] = [Math.hypot(a, b) || 1, Math.hypot(c, d) || 1];
    // From below the baseline to the top of the letters.
    const corner = (right, above) => viewport.convertToViewportPoint(x + (a / along) * right + (c / up) * above, y + (b / along) * right + (d / up) * above);
    const path = new Path2D();
    for (const [right, above] of [[0, -0.25 * height], [width, -0.25 * height], [width, height], [0, height]]) path.lineTo(...corner(right, above));
    path.closePath();
    Object.assign(context, { strokeStyle: MARK, lineWidth: devicePixelRatio, fillStyle: `${MARK}26` });
    context.fill(path);
    context.stroke(path);
  }
  return found.length;
}

async function draw(sheet, number, zoomed, marked) {
  const turn = (sheet.turn = (sheet.turn ?? 0) + 1);
  const { frame, pdf, place } = sheet;
  if (number > pdf.numPages) {
    say(frame, "There is no such page.");
    return;
  }
  const page = await pdf.getPage(number);
  const size = page.getViewport({ scale: 1 });
  const width = frame.clientWidth * devicePixelRatio * (zoomed ? ZOOM : 1);
  const scale = Math.min(width / size.width, Math.sqrt(MOST_PIXELS / (size.width * size.height)));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.max(1, viewport.width), height: Math.max(1, viewport.height), role: "img" });
  canvas.ariaLabel = `${place.dataset.name}, page ${number} of ${pdf.numPages}`;
  await page.render({ canvas, viewport }).promise;
  const places = marked && (await markText(page, canvas.getContext("2d"), viewport, marked.families));
  // The page was turned in the meantime.
  if (turn !== sheet.turn) return;
  marked?.count(places);
  frame.toggleAttribute("data-zoomed", zoomed);
  if (zoomed) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
  frame.replaceChildren(canvas);
}
