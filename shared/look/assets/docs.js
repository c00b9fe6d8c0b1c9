// The documentation: the search box, and this API's own address in its examples.
"use strict";

const box = document.getElementById("search");
const results = document.getElementById("search-results");
const status = document.getElementById("search-status");
const base = new URL(document.body.dataset.base, location.href).href;
const MOST = 12;
const MOST_OPTIONS = 4;
const EXCERPT = 110;

for (const code of document.querySelectorAll("pre code")) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll("https://api.example.com", base.replace(/\/$/, ""));
}

// Fetched when a search begins.
let index;
const load = () => (index ??= fetch(box.dataset.index).then((answer) => answer.json()));

// Words that say nothing about a page.
const EMPTY = new Set("a an and are can do does for from how i in into is it make my of on or the to use what when where with you your".split(" "));

// Words that people use for the documentation's own.
const SAME = {
  accessibility: ["accessible"], big: ["size", "limit"], cost: ["price", "credit"], file: ["source"], invoice: ["factur-x"], javascript: ["typescript"], js: ["typescript"],
  large: ["size", "limit"], max: ["limit", "most"], maximum: ["limit", "most"], nodejs: ["typescript"], node: ["typescript"],
  price: ["credit"], pricing: ["price", "credit"], retry: ["repeat", "again"], sdk: ["client"], secret: ["key"], token: ["key"],
  word: ["docx", "office"], cors: ["origin"], gdpr: ["privacy"], retention: ["deleted", "kept"], concurrency: ["limit"], parallel: ["limit"], excel: ["xlsx", "office"], powerpoint: ["pptx", "office"], combine: ["merge"], join: ["merge"], shrink: ["compress"], size: ["limit"],
};

// Whether a word is the other with one letter added, left out, changed, or swapped with its neighbor.
function resembles(word, other) {
  if (word.length < 4 || Math.abs(word.length - other.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === other[start]) start += 1;
  const [rest, others] = [word.slice(start), other.slice(start)];
  return rest.slice(1) === others || rest === others.slice(1) || rest.slice(1) === others.slice(1)
    || (rest[0] === others[1] && rest[1] === others[0] && rest.slice(2) === others.slice(2));
}

const isOption = ([, , path]) => path.includes("#options.");

// Matches in titles count more, and most at the start.
function scoreOf(word, head, place, body) {
  const like = (part) => part.split(/[^\p{L}\p{N}]+/u).some((other) => resembles(word, other) || resembles(word, other.replace(/s$/, "")));
  if (head === word) return 20;
  if (head.startsWith(word)) return 10;
  if (head.includes(word)) return 6;
  if (like(head)) return 4;
  if (place.includes(word)) return 2;
  return body.includes(word) || like(body) ? 1 : 0;
}

// Whether a title has all words, or others for them, in the order that was typed: "word to pdf" is not "PDF to office".
function inOrder(words, head) {
  let from = 0;
  return words.length > 1 && words.every((word) => {
    const at = [word, ...(SAME[word] ?? [])].map((other) => head.indexOf(other, from)).filter((at) => at >= 0).sort((one, other) => one - other)[0] ?? -1;
    from = at + 1;
    return at >= 0;
  });
}

// How many words occur, or one that resembles or means the same; and how well they match. Options come after pages.
function score(entry, words) {
  const [head, place, body] = [entry[0], entry[1], entry[3]].map((part) => part.toLowerCase());
  const points = words.map((word) => {
    const same = (SAME[word] ?? []).map((other) => scoreOf(other, head, place, body) / 2);
    return Math.max(scoreOf(word, head, place, body), ...same);
  });
  const sum = points.reduce((sum, each) => sum + each, 0) + (inOrder(words, head) ? 8 : 0);
  return { occur: points.filter((each) => each > 0).length, sum: isOption(entry) ? sum / 2 : sum };
}

// The text around the first word that occurs in it, with the word marked.
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const [at, word] = words.map((word) => [lower.indexOf(word), word]).filter(([at]) => at >= 0).sort(([one], [other]) => one - other)[0] ?? [0, ""];
  const begin = at < EXCERPT / 2 ? 0 : text.lastIndexOf(" ", at - EXCERPT / 3) + 1;
  const end = text.length <= begin + EXCERPT ? text.length : text.lastIndexOf(" ", begin + EXCERPT);
  const mark = document.createElement("mark");
  mark.textContent = text.slice(at, at + word.length);
  return [begin > 0 ? "… " : "", text.slice(begin, at), mark, text.slice(at + word.length, Math.max(end, at + word.length)), end < text.length ? " …" : ""];
}

function show(found, wanted, words = []) {
  results.replaceChildren(...found.map(([title, page, path, text]) => {
    const link = document.createElement("a");
    link.href = base + path;
    link.textContent = title;
    const place = document.createElement("span");
    place.textContent = page === title ? "" : page;
    const about = document.createElement("span");
    about.append(...excerpt(text, words));
    link.append(place, about);
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
  status.textContent = wanted ? `${found.length} ${found.length === 1 ? "result" : "results"}` : "";
}

async function search() {
  const wanted = box.value.trim().toLowerCase();
  if (!wanted) return show([], "");
  const entries = await load();
  if (box.value.trim().toLowerCase() !== wanted) return;
  const given = wanted.split(/\s+/);
  const telling = given.map((word) => word.replace(/[?!.,]+$/, "")).filter((word) => word && !EMPTY.has(word));
  const words = telling.length ? telling : given;
  const scored = entries.map((entry) => ({ ...score(entry, words), entry })).filter(({ occur }) => occur > 0);
  // All words, or if no page has all of them, most.
  const most = Math.max(0, ...scored.map(({ occur }) => occur));
  const best = scored.filter(({ occur }) => occur === most && occur * 2 >= words.length).sort((one, other) => other.sum - one.sum);
  let options = 0;
  const shown = best.filter(({ entry }) => !isOption(entry) || (options += 1) <= MOST_OPTIONS);
  show(shown.slice(0, MOST).map(({ entry }) => entry), wanted, words);
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

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("search")) show([], "");
});

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
