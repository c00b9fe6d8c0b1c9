// Shows a PDF's tags: the elements of a page as a tree, and where the chosen one is on the page. Everything is read from the PDF
// itself. The viewer loads this script, and passes what blocks.js exports as `parts`.

const MOST_ELEMENTS = 2000;
const MOST_TEXT = 300;
// Without an alternative text, nobody knows what these show.
const NEED_TEXT = new Set(["Figure", "Formula"]);
// What has only these in it is text too.
const INLINE = new Set(["NonStruct", "Span", "Link", "Em", "Strong", "Sub", "Quote", "Code", "Reference"]);

/** Fills `place` with the pages of an opened PDF. `OPS`: pdf.js's names of operations. */
export async function showTree(place, pdf, OPS, parts) {
  const { element, button } = parts;
  const [previous, output, next] = [button("Previous", " page"), element("output"), button("Next", " page")];
  const bar = element("div", "viewer-bar");
  bar.append(previous, output, next);
  const sheet = element("div", "sheet");
  // The tree says everything that the page shows.
  sheet.ariaHidden = "true";
  const list = element("div", "tag-list");
  const both = element("div", "blocks-view");
  // Turning a page does not read the whole tree out.
  both.ariaLive = "off";
  both.append(sheet, list);
  place.replaceChildren(bar, both);

  let number = 1;
  let turns = 0;
  const turn = async (to) => {
    const current = ++turns;
    number = Math.min(Math.max(to, 1), pdf.numPages);
    // Not `disabled`, which would take the focus away.
    previous.ariaDisabled = number === 1;
    next.ariaDisabled = number === pdf.numPages;
    output.textContent = `Page ${number} of ${pdf.numPages}`;
    try {
      const page = await pdf.getPage(number);
      const { width, height } = page.getViewport({ scale: 1 });
      sheet.style.aspectRatio = `${width} / ${height}`;
      const [canvas, read] = await Promise.all([parts.picture(page, sheet.clientWidth), elementsOf(page, OPS)]);
      if (current !== turns) return;
      sheet.replaceChildren(canvas);
      fill(list, sheet, { read, number, size: { width, height }, parts });
    } catch {
      if (current === turns) list.replaceChildren(element("p", "empty", "This page could not be read. Reload to try again."));
    }
  };
  previous.addEventListener("click", () => turn(number - 1));
  next.addEventListener("click", () => turn(number + 1));
  previous.hidden = next.hidden = pdf.numPages === 1;
  await turn(1);
}

/** The elements of a page, each with its text and its box in points from the page's upper left corner. */
async function elementsOf(page, OPS) {
  const [root, text, annotations] = await Promise.all([
    page.getStructTree(), page.getTextContent({ includeMarkedContent: true }), page.getAnnotations(),
  ]);
  const count = { left: MOST_ELEMENTS };
  if (!root) return { elements: [], count };
  const viewport = page.getViewport({ scale: 1 });
  const pieces = textPieces(text.items);
  addDrawings(pieces, await page.getOperatorList(), OPS, `p${page.ref.num}R${page.ref.gen || ""}`);
  for (const { id, rect } of annotations) piece(pieces, id).points.push(rect.slice(0, 2), rect.slice(2));
  const shown = ([x, y]) => viewport.convertToViewportPoint(x, y);
  const elements = root.children.map((node) => elementOf(node, { pieces, shown, count })).filter(Boolean);
  return { elements, count };
}

const piece = (pieces, id) => pieces.get(id) ?? pieces.set(id, { text: "", points: [] }).get(id);

/** The text of each piece of marked content, and the corners of its words. */
function textPieces(items) {
  const pieces = new Map();
  const around = [];
  for (const { type, id, tag, str, hasEOL, transform, width, height } of items) {
    if (type === "endMarkedContent") around.pop();
    else if (type) around.push(id ?? (tag === "Artifact" ? null : around.at(-1)));
    else if (around.at(-1)) {
      const own = piece(pieces, around.at(-1));
      own.text += str + (hasEOL ? " " : "");
      if (!str.trim()) continue;
      const [a, b, c, d, x, y] = transform;
      const [along, up] = [Math.hypot(a, b) || 1, Math.hypot(c, d) || 1];
      // From below the baseline to the top of the letters.
      for (const [right, above] of [[0, -0.25 * height], [width, -0.25 * height], [width, height], [0, height]]) {
        own.points.push([x + (a / along) * right + (c / up) * above, y + (b / along) * right + (d / up) * above]);
      }
    }
  }
  return pieces;
}

/** Adds the corners of pictures and paths. */
function addDrawings(pieces, { fnArray, argsArray }, OPS, pageId) {
  const pictures = new Set([OPS.paintImageXObject, OPS.paintInlineImageXObject, OPS.paintImageMaskXObject, OPS.paintSolidColorImageMask]);
  const around = [];
  const saved = [];
  let matrix = [1, 0, 0, 1, 0, 0];
  const add = ([left, bottom, right, top]) => {
    if (!around.at(-1)) return;
    const { points } = piece(pieces, around.at(-1));
    for (const corner of [[left, bottom], [right, bottom], [right, top], [left, top]]) points.push(moved(matrix, corner));
  };
  fnArray.forEach((operation, at) => {
    const args = argsArray[at];
    if (operation === OPS.save) saved.push(matrix);
    else if (operation === OPS.restore || operation === OPS.paintFormXObjectEnd) matrix = saved.pop() ?? matrix;
    else if (operation === OPS.transform) matrix = multiplied(matrix, args);
    else if (operation === OPS.paintFormXObjectBegin) {
      saved.push(matrix);
      if (args[0]) matrix = multiplied(matrix, args[0]);
    } else if (operation === OPS.beginMarkedContent) around.push(args[0] === "Artifact" ? null : around.at(-1));
    else if (operation === OPS.beginMarkedContentProps) {
      const [tag, mark] = args;
      around.push(Number.isInteger(mark) ? `${pageId}_mc${mark}` : tag === "Artifact" ? null : around.at(-1));
    } else if (operation === OPS.endMarkedContent) around.pop();
    else if (operation === OPS.constructPath && args[0] !== OPS.endPath && args[2]) add(args[2]);
    else if (pictures.has(operation)) add([0, 0, 1, 1]);
  });
}

const moved = ([a, b, c, d, e, f], [x, y]) => [a * x + c * y + e, b * x + d * y + f];
const multiplied = (m, [a, b, c, d, e, f]) => [...moved([...m.slice(0, 4), 0, 0], [a, b]), ...moved([...m.slice(0, 4), 0, 0], [c, d]), ...moved(m, [e, f])];

function elementOf(node, known) {
  if (known.count.left-- <= 0) return null;
  const made = { node, text: "", hasOwn: false, points: [], children: [] };
  for (const child of node.children) {
    const part = child.role ? elementOf(child, known) : known.pieces.get(child.id.replace("pdfjs_internal_id_", ""));
    if (child.role && part) made.children.push(part);
    if (child.type === "content") made.hasOwn = true;
    if (!part) continue;
    made.text += part.text;
    made.points.push(...part.points.map(child.role ? (point) => point : known.shown));
  }
  made.hasOwn ||= made.children.length > 0 && made.children.every(({ node: { role } }) => INLINE.has(role));
  // A declared box may be a size alone, which pdf.js gives from the corner of the page: what is drawn says more.
  const [left, bottom, right, top] = node.bbox ?? [];
  if (!made.points.length && node.bbox && (left || bottom)) made.points.push(known.shown([left, bottom]), known.shown([right, top]));
  return made;
}

function boxOf(points) {
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const least = (numbers) => numbers.reduce((one, other) => Math.min(one, other));
  const most = (numbers) => numbers.reduce((one, other) => Math.max(one, other));
  return points.length ? [least(across), least(down), most(across), most(down)] : null;
}

// The tree

/** Shows the elements, of which one is chosen: by the keyboard, or by a click on it or on the page. */
function fill(list, sheet, { read: { elements, count }, number, size, parts }) {
  const { element } = parts;
  if (!elements.length) return list.replaceChildren(element("p", "empty", "This page has no tags."));
  const tree = element("ul", "tag-tree");
  tree.role = "tree";
  tree.ariaLabel = `Tags of page ${number}`;
  const items = elements.flatMap((each, at) => itemsOf(each, { level: 1, at, of: elements.length }, element));
  tree.append(...items.map(({ item }) => item));
  list.replaceChildren(tree);
  if (count.left < 0) list.append(element("p", "muted", "This page has more tags than are shown here."));
  let chosen = items[0];
  chosen.item.tabIndex = 0;
  const choose = (entry) => {
    for (let { parent } = entry; parent; { parent } = parent) setOpen(parent, true);
    chosen.item.ariaSelected = "false";
    chosen.item.tabIndex = -1;
    chosen = entry;
    chosen.item.ariaSelected = "true";
    chosen.item.tabIndex = 0;
    sheet.querySelector(".block-box")?.remove();
    if (!entry.box) return;
    const box = parts.boxOf(entry.box, size, "block-box");
    box.dataset.lit = "";
    sheet.append(box);
  };
  const setOpen = (entry, open) => {
    if (!entry.item.ariaExpanded) return;
    entry.item.ariaExpanded = `${open}`;
    for (const each of items) each.item.hidden = isFolded(each);
  };
  const entryOf = (target) => items.find(({ item }) => item === target.closest("[role=treeitem]"));
  tree.addEventListener("focusin", ({ target }) => choose(entryOf(target)));
  tree.addEventListener("click", ({ target }) => {
    const entry = entryOf(target);
    if (!entry) return;
    if (target.closest(".twist")) setOpen(entry, !isOpen(entry));
    entry.item.focus();
  });
  tree.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = destination(event.key, chosen, items);
    if (to === undefined) return;
    event.preventDefault();
    if (to === "flip") setOpen(chosen, !isOpen(chosen));
    else to?.item.focus();
  });
  sheet.onclick = ({ clientX, clientY }) => {
    const whole = sheet.getBoundingClientRect();
    const [x, y] = [((clientX - whole.x) * size.width) / whole.width, ((clientY - whole.y) * size.height) / whole.height];
    const areaOf = ([left, top, right, bottom]) => (right - left) * (bottom - top);
    const under = items.filter(({ box }) => box && box[0] <= x && x <= box[2] && box[1] <= y && y <= box[3]);
    // Of two of the same size, the inner one.
    const entry = under.reduce((best, each) => (best && areaOf(best.box) < areaOf(each.box) ? best : each), null);
    if (!entry) return;
    choose(entry);
    entry.item.focus();
  };
}

const isOpen = ({ item }) => item.ariaExpanded === "true";
const isFolded = ({ parent }) => Boolean(parent) && (!isOpen(parent) || isFolded(parent));

/** Where a key leads: an entry, `null` if it stays, `"flip"` if it opens or closes, and `undefined` if it means nothing here. */
function destination(key, entry, items) {
  const visible = items.filter((each) => !isFolded(each));
  const at = visible.indexOf(entry);
  switch (key) {
    case "ArrowDown": return visible[at + 1] ?? null;
    case "ArrowUp": return visible[at - 1] ?? null;
    case "Home": return visible[0];
    case "End": return visible.at(-1);
    case "ArrowRight": return isOpen(entry) ? visible[at + 1] : "flip";
    case "ArrowLeft": return isOpen(entry) ? "flip" : entry.parent ?? null;
    case "Enter":
    case " ": return "flip";
    default: return undefined;
  }
}

/** The item of an element, and those below it, in the order of the tree. `at`: its place among those beside it. */
function itemsOf(entry, { level, at, of, parent }, element) {
  const { node, text, hasOwn, points, children } = entry;
  const item = element("li", "tag");
  Object.assign(item, { role: "treeitem", tabIndex: -1, ariaSelected: "false", ariaLevel: level, ariaPosInSet: at + 1, ariaSetSize: of });
  if (children.length) item.ariaExpanded = "true";
  item.style.setProperty("--level", level - 1);
  item.append(element("span", "twist"), element("span", "role", node.role));
  const say = (kind, words) => item.append(" ", element("span", kind, words));
  const facts = factsOf(node);
  if (facts) say("muted", facts);
  const short = (words) => (words.length > MOST_TEXT ? `${words.slice(0, MOST_TEXT)} …` : words);
  if (node.alt) say("alternative", `Read as “${short(node.alt)}”`);
  else if (NEED_TEXT.has(node.role)) say("lacks", "No alternative text");
  const words = hasOwn ? text.replaceAll(/\s+/g, " ").trim() : "";
  if (words) say("text", short(words));
  const made = { item, parent, box: boxOf(points) };
  const below = children.flatMap((each, place) => itemsOf(each, { level: level + 1, at: place, of: children.length, parent: made }, element));
  return [made, ...below];
}

function factsOf({ scope, colSpan, rowSpan, lang }) {
  const facts = [scope && `for its ${{ Row: "row", Column: "column", Both: "row and column" }[scope]}`, colSpan && `${colSpan} columns`, rowSpan && `${rowSpan} rows`];
  return [...facts, lang && `language ${lang}`].filter(Boolean).join(", ");
}
