/**
 * Client of Docmill, the document conversion service.
 *
 *     const docmill = new Docmill(); // DOCMILL_URL and DOCMILL_KEY are in the environment
 *     await docmill.convert("report.docx").save("report.pdf");
 */

export { Batch, type Batches, type BatchItem, type BatchSettings } from "./batches.ts";
export { Docmill } from "./client.ts";
export * from "./errors.ts";
export { Conversion, Job, type JobFilter, type Jobs, type Saved, type SaveSettings } from "./jobs.ts";
export type { EventFilter, Events, Fonts, Templates, Tools, Uploads, Webhooks } from "./resources.ts";
export type { components, operations, paths } from "./schema.ts";
export { toolFor } from "./sources.ts";
export { RawResponse, type Settings, VERSION } from "./transport.ts";
export type * from "./types.ts";
export { WebhookVerifier } from "./webhooks.ts";
