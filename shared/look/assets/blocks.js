// Shows what extract-document read: a list of the blocks of a page, and their boxes on it. Pages are drawn from the user's own PDF,
// where the page has a link to it, and are sheets with the blocks' text otherwise. The viewer loads this script.

const MOST_BYTES = 40_000_000;
// Further blocks of a document without pages are not listed.
const MOST_LISTED = 500;
const MOST_TEXT = 300;
// Half a point is lost to rounding.
const SAME_POINTS = 1;

const REASONS = {
  structure: "by the source's structure", style: "by its type", position: "by its place", rules: "by drawn lines",
  alignment: "by its columns", marker: "by its mark", default: "",
};
const SOURCES = { text: "Text", ocr: "Recognized text", mixed: "Text, and recognized text", none: "No text" };
const NEEDS = { formulas: "formulas", handwriting: "handwriting or a bad scan", chart: "a chart", complexTable: "a complex table" };
const HIDDEN = {
  invisible: "invisible", sameColor: "in the color of its ground", tiny: "tiny", offPage: "off the page",
  layerOff: "on a layer that is off", covered: "covered",
};

/** Fills `place`. `open` opens a PDF by its address, or fails. */
export async function showBlocks(place, open) {
  say(place, "Loading the blocks …");
  let read;
  try {
    const response = await fetch(place.dataset.blocks);
    if (!response.ok) throw new Error(response.statusText);
    if (Number(response.headers.get("content-length")) > MOST_BYTES) return say(place, "The result is too large to be shown here. Download the file instead.");
    read = await response.json();
  } catch {
    return say(place, "The blocks could not be loaded. Download the file instead.");
  }
  if (!read.blocks?.length && !read.pages?.length) return say(place, "The document has no blocks.");
  await operate(place, read, open);
}

async function operate(place, read, open) {
  const numbers = read.pages.map(({ number }) => number);
  const entries = entriesByPage(read);
  const tables = new Map(read.tables.map((table) => [table.id, table]));
  const pdf = numbers.length > 0 && place.dataset.pages ? await open(place.dataset.pages).catch(() => null) : null;

  const [previous, output, next] = [button("Previous", " page"), element("output"), button("Next", " page")];
  const facts = element("p", "muted page-facts");
  const bar = element("div", "viewer-bar");
  bar.append(previous, output, next, facts);
  const sheet = element("div", "sheet");
  // The list says everything that the boxes show.
  sheet.ariaHidden = "true";
  const list = element("ol", "block-list");
  list.ariaLabel = "Blocks";
  const chosen = element("pre", "block-json");
  chosen.tabIndex = 0;
  chosen.role = "group";
  chosen.ariaLabel = "The chosen block as JSON";
  chosen.hidden = true;
  const both = element("div", "blocks-view");
  both.append(...(numbers.length > 0 ? [sheet] : []), list);
  place.replaceChildren(...(numbers.length > 0 ? [bar] : []), both, chosen);

  let index = 0;
  let turns = 0;
  const turn = async (to) => {
    const current = ++turns;
    index = Math.min(Math.max(to, 0), Math.max(numbers.length - 1, 0));
    const page = read.pages[index];
    const own = entries.get(page?.number) ?? [];
    chosen.hidden = true;
    const items = own.slice(0, MOST_LISTED).map((entry) => listed(entry));
    list.replaceChildren(...items.map(({ item }) => item));
    if (own.length > items.length) list.append(note(`${own.length - items.length} more are in the file.`));
    if (own.length === 0) list.append(note("This page has no blocks."));
    const [first] = items;
    if (first) first.control.tabIndex = 0;
    if (page) {
      // Not `disabled`, which would take the focus away.
      previous.ariaDisabled = index === 0;
      next.ariaDisabled = index === numbers.length - 1;
      output.textContent = `Page ${page.number}, ${index + 1} of ${numbers.length}`;
      facts.textContent = factsOf(page);
      sheet.style.aspectRatio = `${page.width} / ${page.height}`;
      sheet.style.setProperty("--page", page.width);
      const picture = pdf ? await draw(pdf, page, sheet.clientWidth).catch(() => null) : null;
      if (current !== turns) return;
      sheet.toggleAttribute("data-blank", !picture);
      sheet.replaceChildren(...(picture ? [picture] : []));
    }
    connect(items, { page, sheet, list, chosen, tables });
  };
  previous.addEventListener("click", () => turn(index - 1));
  next.addEventListener("click", () => turn(index + 1));
  previous.hidden = next.hidden = numbers.length < 2;
  await turn(0);
}

/** What is on each page, by its number, and under `undefined` if there are none: blocks in reading order, then hidden text. */
function entriesByPage(read) {
  const entries = new Map();
  const add = (number, entry) => {
    if (!entries.has(number)) entries.set(number, []);
    entries.get(number).push(entry);
  };
  let last = read.pages[0]?.number;
  for (const block of read.blocks) {
    const pages = [...new Set(block.places.map(({ page }) => page))];
    if (pages.length === 0) pages.push(last);
    for (const page of pages) add(page, { block, places: block.places.filter((place) => place.page === page) });
    last = pages.at(-1);
  }
  for (const hidden of read.hidden) {
    const places = hidden.place ? [hidden.place] : [];
    add(hidden.place?.page ?? read.pages[0]?.number, { hidden, places });
  }
  return entries;
}

function listed(entry) {
  const { block, hidden } = entry;
  const item = element("li");
  const control = element("button", "block");
  control.type = "button";
  control.tabIndex = -1;
  control.ariaPressed = "false";
  control.dataset.role = hidden ? "hidden" : block.role;
  const role = element("span", "role", hidden ? "hidden text" : roleOf(block));
  const why = hidden ? HIDDEN[hidden.why] ?? hidden.why : [`${Math.round(100 * block.confidence)} %`, REASONS[block.reason] ?? block.reason].filter(Boolean).join(" ");
  const { text } = hidden ?? block;
  control.append(role, " ", element("span", "muted", why), element("span", "text", text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text));
  item.append(control);
  return { entry, item, control };
}

function roleOf({ role, level, depth }) {
  if (role === "heading") return `heading ${level}`;
  if (role === "listItem") return depth > 0 ? `list item, level ${depth + 1}` : "list item";
  if (role === "formField") return "form field";
  return role;
}

function factsOf({ source, confidence, needsModel }) {
  const parts = [SOURCES[source] ?? source];
  if (source === "ocr" || source === "mixed") parts[0] += `, ${Math.round(100 * confidence)} % sure`;
  if (needsModel.length > 0) parts.push(`A larger model may read it better: ${needsModel.map((need) => NEEDS[need] ?? need).join(", ")}`);
  return `${parts.join(". ")}.`;
}

// Lights up a block in the list and on the page together: by the pointer on either, or by the keyboard in the list.
function connect(items, { page, sheet, list, chosen, tables }) {
  const light = (lit) => {
    for (const { control, boxes } of items) {
      const is = control === lit?.control;
      control.toggleAttribute("data-lit", is);
      for (const box of boxes) box.toggleAttribute("data-lit", is);
    }
    for (const cell of sheet.querySelectorAll(".cell")) cell.remove();
    const cells = lit && page ? tables.get(lit.entry.block?.table)?.cells ?? [] : [];
    sheet.append(...cells.filter(({ place }) => place?.page === page.number).map(({ place }) => boxOf(place.box, page, "cell")));
  };
  const focus = (item) => {
    for (const { control } of items) control.tabIndex = control === item.control ? 0 : -1;
    item.control.focus();
  };
  for (const item of items) {
    item.boxes = page ? item.entry.places.map(({ box }) => boxOf(box, page, "block-box")) : [];
    const { control, boxes, entry } = item;
    for (const box of boxes) {
      box.dataset.role = control.dataset.role;
      box.textContent = (entry.block ?? entry.hidden).text;
      box.addEventListener("pointerenter", () => {
        light(item);
        const above = control.offsetTop - list.offsetTop;
        if (above < list.scrollTop || above + control.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = above - list.clientHeight / 3;
      });
      box.addEventListener("pointerleave", () => light(null));
      box.addEventListener("click", () => focus(item));
    }
    control.addEventListener("pointerenter", () => light(item));
    control.addEventListener("pointerleave", () => light(null));
    control.addEventListener("focus", () => light(item));
    control.addEventListener("blur", () => light(null));
    control.addEventListener("click", () => {
      const is = control.ariaPressed !== "true";
      for (const other of items) other.control.ariaPressed = "false";
      control.ariaPressed = String(is);
      chosen.hidden = !is;
      chosen.textContent = JSON.stringify(entry.block ?? entry.hidden, null, 2);
    });
  }
  // Small boxes lie above the large ones around them.
  const areaOf = ({ style }) => Number.parseFloat(style.width) * Number.parseFloat(style.height);
  sheet.append(...items.flatMap(({ boxes }) => boxes).sort((one, other) => areaOf(other) - areaOf(one)));
  list.onkeydown = (event) => {
    const at = items.findIndex(({ control }) => control === event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (at < 0 || !items[to]) return;
    event.preventDefault();
    focus(items[to]);
  };
}

/** An element over the page for a box in points. Styles set by scripts are allowed; those in HTML are not. */
export function boxOf([left, top, right, bottom], { width, height }, kind) {
  const box = element("div", kind);
  const share = (value, whole) => `${(100 * value) / whole}%`;
  Object.assign(box.style, {
    left: share(left, width), top: share(top, height), width: share(right - left, width), height: share(bottom - top, height),
  });
  return box;
}

/** A page as a picture, if it is the one that was read. */
async function draw(pdf, { number, width, height }, pixels) {
  const page = await pdf.getPage(number);
  const size = page.getViewport({ scale: 1 });
  if (Math.abs(size.width - width) > SAME_POINTS || Math.abs(size.height - height) > SAME_POINTS) return null;
  return picture(page, pixels);
}

/** A page of pdf.js as a picture, which is so many pixels of the screen wide. */
export async function picture(page, pixels) {
  const size = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: (Math.max(pixels, 1) * devicePixelRatio) / size.width });
  const canvas = element("canvas");
  Object.assign(canvas, { width: Math.max(1, viewport.width), height: Math.max(1, viewport.height) });
  await page.render({ canvas, viewport }).promise;
  return canvas;
}

function say(place, message) {
  place.replaceChildren(element("p", "empty", message));
}

const note = (text) => element("li", "muted", text);

export function button(text, quiet) {
  const made = element("button", "button small", text);
  made.type = "button";
  made.append(element("span", "quiet", quiet));
  return made;
}

export function element(name, kind = "", text = "") {
  return Object.assign(document.createElement(name), { className: kind, textContent: text });
}
