// Shared by the scripts of several pages: uploads, and requests that are repeated after a lost connection, with growing pauses.
// The page needs an element `connection` for messages and a bar `upload-bar`.
"use strict";

const connection = document.getElementById("connection");
const token = JSON.parse(document.body.getAttribute("hx-headers") ?? "{}");

const FIRST_PAUSE = 800;
const LONGEST_PAUSE = 15000;

// The only HTML inserted is parts of our own pages, and the only scripts loaded are our own assets. The page's policy enforces
// this.
const rules = { createHTML: (part) => part, createScriptURL: (address) => address };
const trusted = globalThis.trustedTypes?.createPolicy("docmill", rules) ?? rules;

class Refused extends Error {}
class Busy extends Error {}

// Waits for this long, or until the browser reports a network.
function pause(milliseconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
  });
}

// Runs `attempt` until it gets an answer. It waits while the network or the service is down.
async function persist(attempt) {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
    try {
      const answer = await attempt();
      connection.hidden = true;
      return answer;
    } catch (error) {
      if (error instanceof Refused) throw error;
      const what = error instanceof Busy ? "The service is busy." : "The connection is lost.";
      connection.textContent = `${what} Trying again in ${Math.ceil(wait / 1000)} s …`;
      connection.hidden = false;
      await pause(wait);
    }
  }
}

// Called before the sign-in takes the page's place.
let leaving = () => {};

// Requests our own service. Users who are no longer signed in go to the sign-in and come back.
async function ask(url, options = {}) {
  const headers = { "HX-Request": "true", "HX-Current-URL": location.href, ...token, ...options.headers };
  const response = await fetch(url, { ...options, headers });
  const elsewhere = response.headers.get("HX-Redirect");
  if (elsewhere) {
    leaving();
    location.assign(elsewhere);
    return new Promise(() => {});
  }
  if ([429, 502, 503, 504].includes(response.status)) throw new Busy();
  return response;
}

// Uploads a file and returns the upload's id.
function send(place, { file: chosen, kind }, mode) {
  const announced = JSON.stringify({ contentType: kind, bytes: chosen.size, filename: chosen.name, mode });
  return persist(async () => {
    const options = { method: "POST", body: announced, headers: { "Content-Type": "application/json" } };
    const response = await ask(place, options);
    const answer = await response.json();
    if (!response.ok) throw new Refused(answer.message ?? "The file was refused.");
    await put(chosen, answer.upload);
    return answer.upload.id;
  });
}

// fetch does not report the progress of an upload.
function put(chosen, link) {
  const bar = document.getElementById("upload-bar");
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(link.method, link.url);
    for (const [name, value] of Object.entries(link.headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => { bar.value = (100 * event.loaded) / event.total; });
    request.addEventListener("load", () => {
      if (request.status === 200) resolve();
      else if (request.status >= 500) reject(new Busy());
      else reject(new Refused("The upload failed. The file may have changed: choose it again."));
    });
    request.addEventListener("error", () => reject(new Error("no answer")));
    request.send(chosen);
  });
}

// Makes the `.drop` areas of this form accept dropped files.
function acceptDrops(form) {
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      const zone = event.target.closest?.(".drop");
      if (!zone) return;
      event.preventDefault();
      zone.toggleAttribute("data-over", name === "dragover");
      if (name !== "drop" || event.dataTransfer.files.length === 0) return;
      const input = zone.querySelector("[type=file]");
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }
}
