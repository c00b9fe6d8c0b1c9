// A job's page: shows the preview of its result, also when that arrives later. The viewer comes with the first result.
"use strict";

// htmx runs on this page, so its policy has no Trusted Types: see SECURITY.md.
const trusted = { createScriptURL: (address) => address };

async function preview() {
  for (const viewer of document.querySelectorAll("#progress .viewer:not([data-shown])")) {
    viewer.dataset.shown = "";
    const { dataset } = document.getElementById("progress");
    try {
      const { show } = await import(dataset.viewer);
      await show(viewer, dataset, trusted);
    } catch {
      viewer.textContent = "The preview could not be loaded. Download the file instead.";
    }
  }
}

document.addEventListener("htmx:load", preview);
preview();
