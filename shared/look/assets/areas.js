// Areas of a PDF's pages, drawn with a mouse, finger or pen. The rows of the form's list hold them, and can be edited and
// removed like any others: keyboards need nothing else. The playground loads this script for the first file that is drawn on.

const EDGES = ["left", "top", "right", "bottom"];
// Smaller ones are clicks.
const LEAST_POINTS = 3;

/** Fills `place` with the pages of `file`. `add` makes a row of the `list`, and `edited` says that the rows have changed. */
export async function draw({ place, file, list, name, add, edited, assets, trusted }) {
  place.replaceChildren(paragraph("Loading the pages …"));
  let pdf;
  try {
    const { openPdf } = await import(assets.viewer);
    pdf = await openPdf({ data: await file.arrayBuffer() }, assets, trusted);
  } catch (error) {
    place.replaceChildren(paragraph(error.name === "PasswordException"
      ? "This PDF asks for a password, so its pages are not shown here. Enter the areas below."
      : "The pages could not be shown. Enter the areas below."));
    return;
  }
  const bar = document.createElement("div");
  bar.className = "viewer-bar";
  const [previous, output, next] = [button("Previous page"), document.createElement("output"), button("Next page")];
  bar.append(previous, output, next, paragraph("Draw a box over each area."));
  const sheet = document.createElement("div");
  sheet.className = "sheet";
  place.replaceChildren(bar, sheet);

  let number = 1;
  let size = { width: 1, height: 1 };
  const row = (item, part) => item.querySelector(`[name^="${CSS.escape(name)}."][name$=".${part}"]`);
  const fields = (item) => ({ page: row(item, "page"), box: EDGES.map((_, index) => row(item, `box.${index}`)) });
  const rowsOf = () => [...list.querySelectorAll(":scope > .rows > li")];

  // Shows the boxes of this page. Rows that are not complete have none.
  const showBoxes = () => {
    for (const old of sheet.querySelectorAll(".area")) old.remove();
    for (const [index, item] of rowsOf().entries()) {
      const { page, box } = fields(item);
      const edges = box.map((field) => Number.parseFloat(field.value));
      if (Number(page.value) !== number || edges.some(Number.isNaN)) continue;
      const area = mark(edges);
      area.title = `Area ${index + 1}`;
      const remove = button("×");
      remove.ariaLabel = `Remove area ${index + 1}`;
      remove.addEventListener("click", () => {
        item.remove();
        edited();
      });
      area.append(remove);
      sheet.append(area);
    }
  };

  // An element over the page for these edges in points. Styles set by scripts are allowed; those in HTML are not.
  const mark = ([left, top, right, bottom]) => {
    const area = document.createElement("div");
    area.className = "area";
    const share = (value, whole) => `${(100 * value) / whole}%`;
    Object.assign(area.style, {
      left: share(left, size.width), top: share(top, size.height),
      width: share(right - left, size.width), height: share(bottom - top, size.height),
    });
    return area;
  };

  let turns = 0;
  const turn = async (to) => {
    const current = ++turns;
    number = Math.min(Math.max(to, 1), pdf.numPages);
    previous.ariaDisabled = number === 1;
    next.ariaDisabled = number === pdf.numPages;
    output.textContent = `Page ${number} of ${pdf.numPages}`;
    const page = await pdf.getPage(number);
    const whole = page.getViewport({ scale: 1 });
    const scale = (sheet.clientWidth * devicePixelRatio) / whole.width;
    const viewport = page.getViewport({ scale });
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: viewport.width, height: viewport.height, role: "img" });
    canvas.ariaLabel = `${file.name}, page ${number} of ${pdf.numPages}`;
    await page.render({ canvas, viewport }).promise;
    if (current !== turns) return;
    size = whole;
    sheet.replaceChildren(canvas);
    showBoxes();
  };
  previous.addEventListener("click", () => turn(number - 1));
  next.addEventListener("click", () => turn(number + 1));

  let start = null;
  let shadow = null;
  const at = (event) => {
    const { left, top, width, height } = sheet.getBoundingClientRect();
    const within = (value, most) => Math.min(Math.max(value, 0), most);
    return [within(((event.clientX - left) * size.width) / width, size.width), within(((event.clientY - top) * size.height) / height, size.height)];
  };
  const edges = (event) => {
    const end = at(event);
    return [Math.min(start[0], end[0]), Math.min(start[1], end[1]), Math.max(start[0], end[0]), Math.max(start[1], end[1])];
  };
  sheet.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("button")) return;
    event.preventDefault();
    sheet.setPointerCapture(event.pointerId);
    start = at(event);
  });
  sheet.addEventListener("pointermove", (event) => {
    if (!start) return;
    shadow?.remove();
    shadow = mark(edges(event));
    sheet.append(shadow);
  });
  const stop = () => {
    shadow?.remove();
    start = shadow = null;
  };
  sheet.addEventListener("pointercancel", stop);
  sheet.addEventListener("pointerup", (event) => {
    if (!start) return;
    const box = edges(event).map((value) => Math.round(value * 10) / 10);
    stop();
    if (box[2] - box[0] < LEAST_POINTS || box[3] - box[1] < LEAST_POINTS) return;
    const { page, box: into } = fields(add());
    page.value = number;
    for (const [index, field] of into.entries()) field.value = box[index];
    edited();
  });
  list.addEventListener("input", showBoxes);
  await turn(1);
}

function paragraph(text) {
  const note = document.createElement("p");
  note.className = "muted";
  note.textContent = text;
  return note;
}

function button(text) {
  return Object.assign(document.createElement("button"), { type: "button", className: "button small", textContent: text });
}
