// Returns the families that the page's text uses, its non-ASCII characters, and the families that the page loaded. Runs in an
// isolated world, which the page can't change.
(() => {
  const MOST_TEXTS = 20000, MOST_CHARACTERS = 5000, MOST_FAMILIES = 200;
  const families = new Set(), characters = new Set(), elements = new Set();
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < MOST_TEXTS && walker.nextNode(); count++) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!/\S/.test(text) || !element || !element.checkVisibility()) continue;
    if (!elements.has(element) && families.size < MOST_FAMILIES) families.add(getComputedStyle(element).fontFamily);
    elements.add(element);
    // A loop over all characters would take half of the time.
    for (const [character] of text.matchAll(/[^\0-\u007f]/gu)) {
      if (characters.size < MOST_CHARACTERS) characters.add(character);
    }
  }
  const own = [...document.fonts].slice(0, MOST_FAMILIES).filter((font) => font.status === "loaded");
  const short = (name) => name.slice(0, 1000);
  return {
    families: [...families].map(short),
    characters: [...characters].join(""),
    own: own.map((font) => short(font.family)),
  };
})()
