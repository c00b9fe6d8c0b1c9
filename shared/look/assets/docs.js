// The documentation: the search box, and this API's own address in its examples.
"use strict";

const box = document.getElementById("search");
const results = document.getElementById("search-results");
const status = document.getElementById("search-status");
const base = new URL(document.body.dataset.base, location.href).href;
const MOST = 12;

for (const code of document.querySelectorAll("pre code")) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll("https://api.example.com", base.replace(/\/$/, ""));
}

// Fetched when a search begins.
let index;
const load = () => (index ??= fetch(box.dataset.index).then((answer) => answer.json()));

// Words that say nothing about a page.
const EMPTY = new Set("a an and are can do does for from how i in into is it make my of on or the to use what when where with you your".split(" "));

// Whether a word is the other with one letter added, left out, changed, or swapped with its neighbor.
function resembles(word, other) {
  if (word.length < 4 || Math.abs(word.length - other.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  const [rest, others] = [word.slice(start), other.slice(start)];
  return rest.slice(1) === others || rest === others.slice(1) || rest.slice(1) === others.slice(1)
    || (rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2));
}

// Every word must occur, or one that resembles it. Matches in titles count more, and most at the start.
function score([title, page, , text], words) {
  const [head, place, body] = [title, page, text].map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const like = (part) => part.split(/[^\p{L}\p{N}]+/u).some((other) => resembles(word, other) || resembles(word, other.replace(/s$/, "")));
    if (head === word) sum += 20;
    else if (head.startsWith(word)) sum += 10;
    else if (head.includes(word)) sum += 6;
    else if (like(head)) sum += 4;
    else if (place.includes(word)) sum += 2;
    else if (body.includes(word) || like(body)) sum += 1;
    else return 0;
  }
  return sum;
}

function show(found, wanted) {
  results.replaceChildren(...found.map(([title, page, path]) => {
    const link = document.createElement("a");
    link.href = base + path;
    link.textContent = title;
    const place = document.createElement("span");
    place.textContent = page;
    link.append(place);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  if (wanted && found.length === 0) {
    const nothing = document.createElement("li");
    nothing.className = "nothing";
    nothing.textContent = "No results.";
    results.append(nothing);
  }
  results.hidden = !wanted;
  status.textContent = wanted ? `${found.length} results` : "";
}

async function search() {
  const wanted = box.value.trim().toLowerCase();
  if (!wanted) return show([], "");
  const entries = await load();
  if (box.value.trim().toLowerCase() !== wanted) return;
  const given = wanted.split(/\s+/);
  const telling = given.map((word) => word.replace(/[?!.,]+$/, "")).filter((word) => word && !EMPTY.has(word));
  const words = telling.length ? telling : given;
  const scored = entries.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
  scored.sort(([one], [other]) => other - one);
  show(scored.slice(0, MOST).map(([, entry]) => entry), wanted);
}

// The sidebar shows the entry of this page.
const side = document.querySelector(".docs-side");
const here = side?.querySelector("nav [aria-current]");
if (here && side.scrollHeight > side.clientHeight) {
  side.scrollTop = here.getBoundingClientRect().top - side.getBoundingClientRect().top + side.scrollTop - side.clientHeight / 2;
}

const copyPage = document.getElementById("copy-page");
if (copyPage) {
  copyPage.hidden = false;
  copyPage.addEventListener("click", async () => {
    const answer = await fetch(copyPage.dataset.markdown);
    if (!answer.ok) return;
    await navigator.clipboard.writeText(await answer.text());
    copyPage.textContent = "Copied";
  });
}

box.hidden = false;
box.addEventListener("focus", load, { once: true });
box.addEventListener("input", search);

// Arrow keys move through the results, Escape closes them, and a slash, ⌘K or Ctrl-K starts a search from anywhere.
document.addEventListener("keydown", (event) => {
  const links = [...results.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const inSearch = at >= 0 || document.activeElement === box;
  if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "/" && !inSearch && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.focus();
  } else if (inSearch && event.key === "ArrowDown" && links.length) {
    event.preventDefault();
    links[Math.min(at + 1, links.length - 1)].focus();
  } else if (inSearch && event.key === "ArrowUp") {
    event.preventDefault();
    (at > 0 ? links[at - 1] : box).focus();
  } else if (inSearch && event.key === "Escape") {
    box.value = "";
    show([], "");
    box.focus();
  } else if (event.key === "Enter" && document.activeElement === box && links.length) {
    links[0].click();
  }
});
