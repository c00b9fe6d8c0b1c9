import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { call } from './api';
import type { Attempt } from './attempts';
import { Failure } from './failure';
import { named, rows } from './options';
import type { SourceKind, Tool } from './tool';

/** A source as the fields name it. */
export interface Given {
	item: number;
	kind: SourceKind;
	/** The value of its kind. For `uploadId`: the name of the field with the binary data. */
	value: string;
	/** File name, password, pages and so on. */
	about: IDataObject;
	/** Tells one file from another, for binary data. */
	file?: IDataObject;
}

interface FurtherSource extends IDataObject {
	kind: SourceKind;
	value: string;
}

/** The sources of an item, the main one first. */
export function sourcesOf(context: IExecuteFunctions, tool: Tool, item: number): Given[] {
	const kind = context.getNodeParameter('source', item) as SourceKind;
	const value = String(context.getNodeParameter(VALUE_FIELDS[kind], item));
	const given: Given[] = [
		{ item, kind, value, about: about(context.getNodeParameter('sourceOptions', item, {}) as IDataObject) },
	];
	if (tool.most > 1) {
		const further = rows<FurtherSource>(context.getNodeParameter('furtherSources', item, {}), 'rows');
		given.push(...further.map(({ kind, value, ...rest }) => ({ item, kind, value, about: about(rest) })));
	}
	return given.map((source) => (source.kind === 'uploadId' ? { ...source, file: fileOf(context, source) } : source));
}

/** The field with the value of each kind of source. */
export const VALUE_FIELDS: Record<SourceKind, string> = {
	uploadId: 'binaryPropertyName',
	sourceUrl: 'sourceUrl',
	url: 'url',
	html: 'html',
	markdown: 'markdown',
	jobId: 'sourceJobId',
	template: 'templateName',
};

function about({ headers, output, ...rest }: IDataObject): IDataObject {
	const filled = Object.entries(rest).filter(([, value]) => value !== '');
	return {
		...Object.fromEntries(filled),
		...(headers ? { headers: named(headers) } : {}),
		...(output ? { output } : {}),
	};
}

function fileOf(context: IExecuteFunctions, source: Given): IDataObject {
	const { id, data, mimeType, fileName } = context.helpers.assertBinaryData(source.item, source.value);
	// When n8n saves an execution, it moves the files of webhooks: only the last part of their ids stays.
	const content = id?.split('/').at(-1) ?? createHash('sha256').update(data).digest('hex');
	return { content, mimeType, fileName };
}

/** The source as the API takes it. Binary data is uploaded, unless this attempt has done so before. */
export async function resolved(
	context: IExecuteFunctions,
	source: Given,
	place: number,
	attempt: Attempt,
): Promise<IDataObject> {
	if (source.kind === 'template') return { template: templateOf(source.value), ...source.about };
	if (source.kind !== 'uploadId') return { [source.kind]: source.value, ...source.about };
	attempt.uploads[place] ??= await uploaded(context, source);
	return { uploadId: attempt.uploads[place].id, ...source.about };
}

/** A stored template's name, with or without a version: `invoice@2`. */
function templateOf(text: string): IDataObject {
	const [name, version] = text.trim().split('@', 2);
	return version === undefined ? { name } : { name, version: Number(version) };
}

async function uploaded(context: IExecuteFunctions, source: Given): Promise<{ id: string; expiresAt: string }> {
	const { mimeType, fileName } = context.helpers.assertBinaryData(source.item, source.value);
	const { content, bytes } = await contentOf(context, source);
	if (bytes === 0) throw new Failure('empty_file', `The file in the field ${source.value} is empty.`);
	const filename = (source.about.filename as string | undefined) ?? fileName;
	const announced = await call(context, {
		method: 'POST',
		path: '/v1/uploads',
		body: { contentType: mimeType || 'application/octet-stream', bytes, ...(filename ? { filename } : {}) },
	});
	const upload = announced.body.upload as { id: string; url: string; expiresAt: string; headers: IDataObject };
	// No credentials here: the link is signed. Without redirects, n8n sends a stream as it comes.
	const answer = (await context.helpers.httpRequest({
		method: 'PUT',
		url: upload.url,
		headers: { ...upload.headers, 'content-length': bytes },
		body: content,
		encoding: 'text',
		disableFollowRedirect: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	})) as IN8nHttpFullResponse;
	if (answer.statusCode >= 300) {
		throw new Failure('upload_failed', `The storage refused the file with status ${answer.statusCode}.`, {
			status: answer.statusCode,
		});
	}
	return { id: upload.id, expiresAt: upload.expiresAt };
}

/** A stream, if n8n keeps the file outside of the workflow's data. */
async function contentOf(context: IExecuteFunctions, source: Given) {
	const { id } = context.helpers.assertBinaryData(source.item, source.value);
	if (id === undefined) {
		const content = await context.helpers.getBinaryDataBuffer(source.item, source.value);
		return { content, bytes: content.length };
	}
	const { fileSize } = await context.helpers.getBinaryMetadata(id);
	return { content: await context.helpers.getBinaryStream(id), bytes: fileSize };
}
