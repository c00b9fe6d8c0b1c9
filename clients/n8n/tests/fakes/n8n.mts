// The part of n8n that the nodes call, as its interfaces describe it.

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type {
	IBinaryData,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { Docmill } from '../../dist/nodes/Docmill/Docmill.node.js';

export interface Item {
	json?: object;
	/** Files by the name of their field. */
	files?: Record<string, { content: string; fileName?: string; mimeType?: string }>;
	/** Values of the node's fields for this item. */
	fields?: Record<string, unknown>;
}

export interface Setting {
	url: string;
	key?: string;
	fields?: Record<string, unknown>;
	items?: Item[];
	executionId?: string;
	/** What n8n keeps with the execution. A retry has the same. */
	context?: Record<string, unknown>;
	continueOnFail?: boolean;
	/** Whether n8n keeps files outside of the workflow's data. */
	streams?: boolean;
	/** Where it keeps them: files of webhooks are moved when an execution is saved. */
	folder?: string;
	runIndex?: number;
}

export interface Output {
	json: any;
	binary?: Record<string, { content: string; fileName?: string; mimeType: string }>;
	pairedItem?: unknown;
}

/** Runs the node's `execute`, and reads the files of its output. */
export async function execute(setting: Setting): Promise<Output[]> {
	const [output = []] = await new Docmill().execute.call(executeFunctions(setting));
	return output as unknown as Output[];
}

export function executeFunctions(setting: Setting): IExecuteFunctions {
	const items = setting.items ?? [{}];
	const context = setting.context ?? {};
	const file = (item: number, name: string) => {
		const found = items[item]?.files?.[name];
		if (!found) throw new Error(`no binary data ${name}`);
		return found;
	};
	const binary = (item: number, name: string): IBinaryData => {
		const { content, fileName, mimeType = 'application/octet-stream' } = file(item, name);
		const data = Buffer.from(content).toString('base64');
		return {
			mimeType,
			...(fileName && { fileName }),
			...(setting.streams
				? { data: 'filesystem', id: `filesystem-v2:${setting.folder ?? 'executions/temp'}/${item}:${name}` }
				: { data }),
		};
	};
	const stored = (id: string) => {
		const [item, name = ''] = (id.split('/').at(-1) ?? '').split(':');
		return Buffer.from(file(Number(item), name).content);
	};
	const functions = {
		...common(setting),
		getInputData: () => items.map(({ json = {} }) => ({ json })),
		getNodeParameter: (name: string, item: number, fallback?: unknown) =>
			parameter({ ...setting.fields, ...items[item]?.fields }, name, fallback),
		continueOnFail: () => setting.continueOnFail ?? false,
		getContext: () => context,
		getExecutionId: () => setting.executionId ?? '231',
		getWorkflowDataProxy: () => ({ $runIndex: setting.runIndex ?? 0 }),
		getExecutionCancelSignal: () => undefined,
	};
	Object.assign(functions.helpers, {
		assertBinaryData: binary,
		getBinaryDataBuffer: async (item: number, name: string) => Buffer.from(file(item, name).content),
		getBinaryMetadata: async (id: string) => ({ fileSize: stored(id).length }),
		getBinaryStream: async (id: string) => Readable.from([stored(id)]),
		prepareBinaryData: async (content: Readable, fileName: string, mimeType: string) => ({
			content: (await buffer(content)).toString('latin1'),
			fileName,
			mimeType,
		}),
	});
	return functions as unknown as IExecuteFunctions;
}

export interface HookSetting extends Setting {
	staticData: Record<string, any>;
	webhookUrl: string;
}

export function hookFunctions(setting: HookSetting): IHookFunctions {
	return {
		...common(setting),
		getNodeParameter: (name: string, fallback?: unknown) => setting.fields?.[name] ?? fallback,
		getNodeWebhookUrl: () => setting.webhookUrl,
		getWorkflowStaticData: () => setting.staticData,
	} as unknown as IHookFunctions;
}

function common({ url, key = 'dm_test_key' }: Setting) {
	return {
		getNode: () => ({
			id: 'node-1',
			name: 'Docmill',
			type: 'docmill',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		}),
		getWorkflow: () => ({ id: 'workflow-1', name: 'Invoices' }),
		getInstanceId: () => 'instance-1',
		getCredentials: async () => ({ baseUrl: `${url}/`, apiKey: key }),
		helpers: {
			httpRequest,
			httpRequestWithAuthentication: async (_name: string, options: IHttpRequestOptions) =>
				await httpRequest({ ...options, headers: { ...options.headers, authorization: `Bearer ${key}` } }),
		},
	};
}

/** A field's value, or its default in the node's description, as n8n has it. */
function parameter(fields: Record<string, unknown>, name: string, fallback: unknown): unknown {
	if (name in fields) return fields[name];
	const shown = new Docmill().description.properties.filter(
		(property) => property.name === name && isShown(property, fields),
	);
	if (shown.length > 1) throw new Error(`the field ${name} is shown ${shown.length} times`);
	const value = shown[0]?.default ?? fallback;
	if (value === undefined) throw new Error(`the node has no field ${name}`);
	return value;
}

function isShown(property: INodeProperties, fields: Record<string, unknown>): boolean {
	const show = property.displayOptions?.show ?? {};
	return ['resource', 'operation'].every(
		(name) => (show[name] as unknown[] | undefined)?.includes(fields[name]) ?? true,
	);
}

async function httpRequest(options: IHttpRequestOptions) {
	const streams = options.body instanceof Readable;
	const isJson = options.json && options.body !== undefined;
	const headers = new Headers(options.headers as Record<string, string>);
	if (isJson) headers.set('content-type', 'application/json');
	const response = await fetch(options.url, {
		method: options.method ?? 'GET',
		headers,
		redirect: options.disableFollowRedirect ? 'manual' : 'follow',
		body: isJson
			? JSON.stringify(options.body)
			: streams
				? await buffer(options.body as Readable)
				: (options.body as Buffer | undefined),
	});
	if (response.status >= 400 && !options.ignoreHttpStatusErrors) throw new Error(`status ${response.status}`);
	const body = options.encoding === 'stream' ? Readable.fromWeb(response.body as any) : parsed(await response.text());
	return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

export type { INodeExecutionData };
