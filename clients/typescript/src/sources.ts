/** What a job converts, and which tool does it. */

import { extname } from "node:path";
import { UsageError } from "./errors.ts";
import type { FileContent, FilePath, Source, SourceObject, ToolSlug } from "./types.ts";

const EXTENSIONS: Partial<Record<ToolSlug, string>> = {
  "office-to-pdf": "docx doc dotx odt rtf txt xlsx xls xlsm ods csv tsv pptx ppt odp odg fodt fods fodp",
  "html-to-pdf": "html htm",
  "markdown-to-pdf": "md markdown",
  "email-to-pdf": "eml msg",
  "images-to-pdf": "jpg jpeg png webp tiff tif gif bmp svg",
};
const TOOLS = new Map(
  Object.entries(EXTENSIONS).flatMap(([tool, extensions]) => extensions.split(" ").map((extension) => [`.${extension}`, tool])),
);
// These open pages, and all other tools fetch files.
const PAGE_TOOLS = new Set(["html-to-pdf", "html-to-image"]);

/** The tool that makes a PDF of the source. */
export function toolFor(source: Source): string {
  const address = addressOf(source);
  if (address) return TOOLS.get(extensionOf(address.pathname)) ?? "html-to-pdf";
  const file = localFile(source);
  if (file === undefined) return toolForObject(source as SourceObject);
  const name = typeof file === "string" ? file : file.name;
  const tool = TOOLS.get(extensionOf(name));
  if (tool) return tool;
  if (typeof file !== "string" && !name) {
    throw new UsageError('Bytes without a name don\'t tell what they are: give { content, name: "report.docx" }, or name a tool with run().');
  }
  throw new UsageError(`No tool makes a PDF of ${extname(name) || "a file without extension"}: name a tool with run().`);
}

function toolForObject(source: SourceObject): string {
  if (source.markdown !== undefined) return "markdown-to-pdf";
  if (source.html !== undefined || source.url !== undefined) return "html-to-pdf";
  const name = source.filename ?? addressOf(source.sourceUrl ?? "")?.pathname ?? "";
  const tool = TOOLS.get(extensionOf(name));
  if (tool) return tool;
  throw new UsageError("This source does not tell what it is: name a tool with run().");
}

function extensionOf(path: string): string {
  return extname(path).toLowerCase();
}

function addressOf(source: Source): URL | undefined {
  if (source instanceof URL) return source;
  if (typeof source !== "string" || !/^https?:\/\//i.test(source)) return undefined;
  return URL.canParse(source) ? new URL(source) : undefined;
}

/** What to upload, if the source is a file: its path, or its content. */
export function localFile(source: Source): string | FileContent | undefined {
  if (typeof source === "string") return addressOf(source) ? undefined : source;
  if (source instanceof Uint8Array) return { content: source, name: "" };
  if (source instanceof Blob) return { content: source, name: "name" in source ? String(source.name) : "" };
  if (source instanceof URL) return undefined;
  if (typeof source !== "object" || source === null) throw new UsageError(`A ${typeof source} is no source: give a path, a URL, bytes or an object.`);
  if ("path" in source) return (source as FilePath).path;
  return "content" in source ? source : undefined;
}

/** What a source says of its file, such as the password. Headers are for addresses. */
export function besidePath(source: Source): SourceObject {
  if (typeof source !== "object" || !("path" in source)) return {};
  const { path: _, headers: __, ...more } = source as FilePath & SourceObject;
  return more;
}

/** The API's source for a URL or an object. */
export function asObject(source: Source, tool: string): SourceObject {
  if (typeof source === "object" && !(source instanceof URL)) return source as SourceObject;
  return { [PAGE_TOOLS.has(tool) ? "url" : "sourceUrl"]: String(source) };
}
