/** Where results go, and whether a file's name fits what is in it. */

import { lstatSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { UsageError } from "./errors.ts";
import type { JobData } from "./types.ts";

// Other extensions of a format.
const SYNONYMS: Record<string, string> = { jpeg: "jpg", tif: "tiff", htm: "html", markdown: "md", text: "txt" };
// Extensions that say what a file is. Any other is as good as none.
const KNOWN = new Set(
  "pdf docx doc odt rtf txt xlsx xls ods csv pptx ppt odp html md json jsonl xml png jpg webp tiff gif bmp svg zip eml msg".split(" "),
);

/** The format that a name's extension stands for. */
function formatOf(name: string): string | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  const format = SYNONYMS[extension] ?? extension;
  return KNOWN.has(format) ? format : undefined;
}

/** Whether the path names a folder: it ends in a slash, or is one. */
export function isFolder(path: string): boolean {
  return path.endsWith("/") || path.endsWith(sep) || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/** Throws `UsageError` if the path's extension says something else than that of the result. */
export function checkName(path: string, filename: string): void {
  const [wanted, made] = [formatOf(path), formatOf(filename)];
  if (!wanted || !made || wanted === made) return;
  if (made === "zip") throw new UsageError(`${path} can't hold several files: give a folder, such as "pages/", or a name that ends in .zip.`);
  throw new UsageError(`${path} says ${wanted}, but the result is a ${made}: name it .${made}, or add the tool that makes a ${wanted} with step().`);
}

/** Throws `UsageError` if a file can't be made there, for example because there is one. */
export function checkTarget(target: string, overwrite: boolean): void {
  if (!overwrite && lstatSync(target, { throwIfNoEntry: false })) throw taken(target);
  const folder = dirname(target);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(`${target} can't be written: there is no folder ${folder}.`);
}

function taken(target: string): UsageError {
  return new UsageError(`${target} exists already: choose another name, or allow it with { overwrite: true }.`);
}

/** Gives a whole file its name. Throws `UsageError` if there is a file of this name by now, or if the file system refuses it. */
export async function publish(temporary: string, target: string, overwrite: boolean): Promise<void> {
  let isClaimed = false;
  try {
    if (!overwrite) {
      // Of all that want this name, only one can create it.
      await (await open(target, "wx")).close();
      isClaimed = true;
    }
    await rename(temporary, target);
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException;
    if (code === "EEXIST") throw taken(target);
    if (isClaimed) await rm(target, { force: true });
    throw new UsageError(`${target} can't be written: ${code}`);
  }
}

/** A path for each name, without anything that leads to another folder, and no two the same. */
export function pathsIn(folder: string, names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, index) => {
    const plain = basename(name.replaceAll("\\", "/")) || `result-${index + 1}`;
    const extension = extname(plain);
    const path = join(folder, taken.has(plain) ? `${basename(plain, extension)}-${index + 1}${extension}` : plain);
    taken.add(plain);
    return path;
  });
}

/** Tells how the result differs from what was asked for, where the platform has a way to. */
export function tellWarnings(job: JobData): void {
  if (typeof process === "undefined" || typeof process.emitWarning !== "function") return;
  for (const { code, message } of job.warnings ?? []) process.emitWarning(message, { type: "DocmillWarning", code });
}
