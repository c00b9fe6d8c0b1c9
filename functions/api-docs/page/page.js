// Shows the description beside this page with Redoc. A file of its own, because the page's policy allows no inline script.

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
const MONO = "ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'Liberation Mono', monospace";

const options = {
  downloadDefinitionUrl: "openapi.json",
  expandResponses: "200,202",
  jsonSampleExpandLevel: 3,
  pathInMiddlePanel: true,
  requiredPropsFirst: true,
  theme: {
    colors: { primary: { main: "#1a56a8" } },
    sidebar: { width: "270px", backgroundColor: "#f6f8fa" },
    typography: { fontSize: "15px", fontFamily: SANS, headings: { fontFamily: SANS }, code: { fontFamily: MONO, fontSize: "13px" } },
  },
};

async function show(element) {
  const response = await fetch("openapi.json");
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  const description = await response.json();
  // The page knows under which address the service is reached; the description only knows its own place.
  const address = new URL(".", document.baseURI).href.replace(/\/$/, "");
  description.servers = [{ url: address }];
  Redoc.init(description, options, element);
}

const element = document.getElementById("description");
show(element).catch((error) => {
  element.firstElementChild.append(` (it could not be shown here: ${error.message})`);
});
