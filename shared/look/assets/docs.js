// The documentation: the search box, and this API's own address in its examples.
"use strict";

const box = document.getElementById("search");
const results = document.getElementById("search-results");
const status = document.getElementById("search-status");
const base = new URL(document.body.dataset.base, location.href).href;
const MOST = 12;

for (const code of document.querySelectorAll("pre code")) {
  if (code.textContent.includes("https://api.example.com")) {
    code.textContent = code.textContent.replaceAll("https://api.example.com", base.replace(/\/$/, ""));
  }
}

// Fetched when a search begins.
let index;
const load = () => (index ??= fetch(box.dataset.index).then((answer) => answer.json()));

// Every word must occur. Matches in titles count more, and most at the start.
function score([title, page, , text], words) {
  const [head, place, body] = [title, page, text].map((part) => part.toLowerCase());
  let sum = 0;
  for (const word of words) {
    if (head === word) sum += 20;
    else if (head.startsWith(word)) sum += 10;
    else if (head.includes(word)) sum += 6;
    else if (place.includes(word)) sum += 2;
    else if (body.includes(word)) sum += 1;
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
  const words = wanted.split(/\s+/);
  const scored = entries.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
  scored.sort(([one], [other]) => other - one);
  show(scored.slice(0, MOST).map(([, entry]) => entry), wanted);
}

box.hidden = false;
box.addEventListener("focus", load, { once: true });
box.addEventListener("input", search);

// Arrow keys move through the results, Escape closes them, and a slash starts a search from anywhere.
document.addEventListener("keydown", (event) => {
  const links = [...results.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  const inSearch = at >= 0 || document.activeElement === box;
  if (event.key === "/" && !inSearch && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
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
