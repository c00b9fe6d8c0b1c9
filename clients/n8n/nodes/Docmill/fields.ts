// The fields that all tools share, and those of jobs. The fields of each tool's options are in `tools`.

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VALUE_FIELDS } from './sources';
import type { SourceKind, Tool } from './tool';
import { tools } from './tools';
import { operations } from './tools/operations';

const CATEGORIES = [...new Set(tools.map((tool) => tool.category))].sort();

const KINDS: Record<SourceKind, INodePropertyOptions> = {
	uploadId: { name: 'Binary Data', value: 'uploadId', description: 'A file of the item' },
	sourceUrl: { name: 'File URL', value: 'sourceUrl', description: 'A file that Docmill downloads' },
	html: { name: 'HTML', value: 'html', description: 'A page as text' },
	jobId: { name: 'Job', value: 'jobId', description: 'The result of an earlier job, which may still be running' },
	markdown: { name: 'Markdown', value: 'markdown', description: 'Markdown as text' },
	template: { name: 'Stored Template', value: 'template', description: 'A template of your account, by its name' },
	url: { name: 'Web Page', value: 'url', description: 'A page that Docmill opens' },
};

/** What a source can tell besides its content. */
const ABOUT_SOURCES: INodeProperties[] = [
	{
		displayName: 'File Name',
		name: 'filename',
		type: 'string',
		default: '',
		placeholder: 'e.g. report.docx',
		description: 'The name tells CSV from plain text, for example',
	},
	{
		displayName: 'Headers',
		name: 'headers',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add header',
		default: {},
		description: 'Headers to send when the file is downloaded, such as Authorization',
		options: [
			{
				displayName: 'Entry',
				name: 'entries',
				values: [
					{ displayName: 'Name', name: 'name', type: 'string', default: '' },
					{ displayName: 'Value', name: 'value', type: 'string', typeOptions: { password: true }, default: '' },
				],
			},
		],
	},
	{
		displayName: 'Page Range',
		name: 'pageRange',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1-3,8,z',
		description: 'The pages to take. <code>z</code> is the last page.',
	},
	{
		displayName: 'Password',
		name: 'password',
		type: 'string',
		typeOptions: { password: true },
		default: '',
		description: 'The password that opens the file',
	},
	{
		displayName: 'Result File Number',
		name: 'output',
		type: 'number',
		default: 0,
		description: 'Which file of an earlier job to take, if it has several. 0 is the first one.',
	},
	{
		displayName: 'Title',
		name: 'title',
		type: 'string',
		default: '',
		description: 'What the file is called in the bookmarks of the result',
	},
];

/** The same field for all tools that take the same kinds of sources. */
function sourceFields(): INodeProperties[] {
	return grouped((tool) => tool.kinds.join()).map(([first, slugs]) => ({
		displayName: 'Source',
		name: 'source',
		type: 'options',
		displayOptions: { show: { operation: slugs } },
		options: kindsOf(first),
		default: 'uploadId',
		description: 'Where the document is',
	}));
}

function kindsOf(tool: Tool): INodePropertyOptions[] {
	return Object.values(KINDS).filter((kind) => tool.kinds.includes(kind.value as SourceKind));
}

/** Tools with the same property, as the first of them and the slugs of all. */
function grouped(property: (tool: Tool) => string): [Tool, string[]][] {
	const groups = new Map<string, [Tool, string[]]>();
	for (const tool of tools) {
		const group = groups.get(property(tool)) ?? [tool, []];
		group[1].push(tool.slug);
		groups.set(property(tool), group);
	}
	return [...groups.values()];
}

const OF_TOOLS = { resource: CATEGORIES };

function valueField(
	kind: SourceKind,
	field: Omit<INodeProperties, 'name' | 'displayOptions' | 'required'>,
): INodeProperties {
	return {
		...field,
		name: VALUE_FIELDS[kind],
		required: true,
		displayOptions: { show: { ...OF_TOOLS, source: [kind] } },
	};
}

const VALUES: INodeProperties[] = [
	valueField('uploadId', {
		displayName: 'Input Binary Field',
		type: 'string',
		default: 'data',
		hint: 'The name of the input field containing the file',
	}),
	valueField('sourceUrl', {
		displayName: 'File URL',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://files.example.com/report.docx',
	}),
	valueField('url', { displayName: 'Page URL', type: 'string', default: '', placeholder: 'e.g. https://example.com' }),
	valueField('html', { displayName: 'HTML', type: 'string', typeOptions: { editor: 'htmlEditor' }, default: '' }),
	valueField('markdown', { displayName: 'Markdown', type: 'string', typeOptions: { rows: 6 }, default: '' }),
	valueField('template', {
		displayName: 'Template Name',
		type: 'string',
		default: '',
		placeholder: 'e.g. invoice',
		description: 'A stored template of your account, by its name. <code>invoice@2</code> is its second version.',
	}),
	valueField('jobId', {
		displayName: 'Job ID',
		type: 'string',
		default: '',
		description: 'The <code>ID</code> of an earlier job of your account',
	}),
];

function aboutField(): INodeProperties[] {
	return grouped((tool) =>
		aboutOf(tool)
			.map((field) => field.name)
			.join(),
	)
		.filter(([tool]) => aboutOf(tool).length > 0)
		.map(([tool, slugs]) => ({
			displayName: 'Source Options',
			name: 'sourceOptions',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions: { show: { operation: slugs } },
			options: aboutOf(tool),
		}));
}

function aboutOf(tool: Tool): INodeProperties[] {
	const names = [...tool.sourceProperties, ...(tool.kinds.includes('jobId') ? ['output'] : [])];
	return ABOUT_SOURCES.filter((field) => names.includes(field.name));
}

function furtherSources(): INodeProperties[] {
	const several = tools.filter((tool) => tool.most > 1);
	return several.map((tool) => ({
		displayName: 'Further Sources',
		name: 'furtherSources',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add source',
		default: {},
		displayOptions: { show: { operation: [tool.slug] } },
		description: `Sources of the same job, after the first one. A job takes ${tool.most} at most.`,
		options: [
			{
				displayName: 'Source',
				name: 'rows',
				values: [
					{ displayName: 'Kind', name: 'kind', type: 'options', options: kindsOf(tool), default: 'uploadId' },
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description: 'The name of the input binary field, the URL, the text, or the ID of the job',
					},
					...aboutOf(tool),
				],
			},
		],
	}));
}

const COMBINE: INodeProperties = {
	displayName: 'Jobs',
	name: 'combine',
	type: 'options',
	displayOptions: { show: { operation: tools.filter((tool) => tool.joins).map((tool) => tool.slug) } },
	options: [
		{
			name: 'One for All Items',
			value: 'all',
			description: 'The sources of all items go into one result, in the order of the items',
		},
		{ name: 'One for Each Item', value: 'each' },
	],
	default: 'all',
};

const DELIVERY: INodeProperties = {
	displayName: 'Output',
	name: 'delivery',
	type: 'options',
	options: [
		{ name: 'Result', value: 'result', description: 'The resulting file. Several files come as a ZIP.' },
		{ name: 'Each File', value: 'files', description: 'An item for each file of the result' },
		{ name: 'Job Only', value: 'none', description: 'The job without its files' },
	],
	default: 'result',
};

const OUTPUT_FIELD: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'outputField',
	type: 'string',
	required: true,
	default: 'data',
	hint: 'The name of the output binary field to put the file in',
};

const MAXIMUM_WAIT: INodeProperties = {
	displayName: 'Maximum Wait (Seconds)',
	name: 'maximumWait',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3600, numberPrecision: 0 },
	default: 300,
	description: 'If the job takes longer, the node fails. A retry waits for the same job.',
};

const RESULT_FIELDS: INodeProperties[] = [
	{
		displayName: 'Wait for Completion',
		name: 'wait',
		type: 'boolean',
		default: true,
		displayOptions: { show: OF_TOOLS },
		description: 'Whether to wait until the job has completed. If not, the output is the job as it was created.',
	},
	{ ...MAXIMUM_WAIT, displayOptions: { show: { ...OF_TOOLS, wait: [true] } } },
	{ ...DELIVERY, displayOptions: { show: { ...OF_TOOLS, wait: [true] } } },
	{ ...OUTPUT_FIELD, displayOptions: { show: { ...OF_TOOLS, wait: [true], delivery: ['result', 'files'] } } },
	{
		displayName: 'Job Options',
		name: 'jobOptions',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: OF_TOOLS },
		options: [
			{
				displayName: 'Further Steps',
				name: 'then',
				type: 'fixedCollection',
				typeOptions: { multipleValues: true, sortable: true },
				placeholder: 'Add step',
				default: {},
				description:
					'Tools that run in the same job, each with the result of the one before. The job costs the sum of all tools.',
				options: [
					{
						displayName: 'Step',
						name: 'rows',
						values: [
							{
								displayName: 'Tool',
								name: 'toolSlug',
								type: 'options',
								options: [...tools]
									.map(({ name, slug }) => ({ name, value: slug }))
									.sort((one, other) => one.name.localeCompare(other.name)),
								default: 'compress-pdf',
							},
							{
								displayName: 'Options (JSON)',
								name: 'options',
								type: 'json',
								default: '{}',
								description: "The tool's options, by the names that the API gives them",
							},
						],
					},
				],
			},
			{
				displayName: 'Keep Result For (Seconds)',
				name: 'retentionSeconds',
				type: 'number',
				typeOptions: { minValue: 60, maxValue: 604800, numberPrecision: 0 },
				default: 86400,
				description: 'How long the service keeps the result after completion',
			},
			{
				displayName: 'Keep Signatures',
				name: 'keepSignatures',
				type: 'boolean',
				default: false,
				description: 'Whether the job fails instead of rewriting a signed document',
			},
			{
				displayName: 'Labels',
				name: 'metadata',
				type: 'fixedCollection',
				typeOptions: { multipleValues: true },
				placeholder: 'Add label',
				default: {},
				description: 'Your own labels of the job, which events and lists of jobs show too',
				options: [
					{
						displayName: 'Label',
						name: 'entries',
						values: [
							{ displayName: 'Name', name: 'name', type: 'string', default: '' },
							{ displayName: 'Value', name: 'value', type: 'string', default: '' },
						],
					},
				],
			},
			{
				displayName: 'Result File Name',
				name: 'filename',
				type: 'string',
				default: '',
				placeholder: 'e.g. report.pdf',
			},
		],
	},
];

const JOB_OPERATIONS: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	displayOptions: { show: { resource: ['job'] } },
	options: [
		{
			name: 'Cancel',
			value: 'cancel',
			action: 'Cancel a job',
			description: 'Stop a job that has not ended, and get its credits back',
		},
		{ name: 'Delete', value: 'delete', action: 'Delete a job', description: 'Delete the documents of a job now' },
		{ name: 'Get', value: 'get', action: 'Get a job', description: 'Get a job as it is now' },
		{
			name: 'Get Result',
			value: 'result',
			action: 'Get the result of a job',
			description: 'Wait for a job and download its result',
		},
	],
	default: 'result',
};

const JOB_FIELDS: INodeProperties[] = [
	{
		displayName: 'Job ID',
		name: 'jobId',
		type: 'string',
		required: true,
		default: '={{ $json.id }}',
		displayOptions: { show: { resource: ['job'] } },
	},
	{ ...MAXIMUM_WAIT, displayOptions: { show: { resource: ['job'], operation: ['result'] } } },
	{ ...DELIVERY, displayOptions: { show: { resource: ['job'], operation: ['result'] } } },
	{
		...OUTPUT_FIELD,
		displayOptions: { show: { resource: ['job'], operation: ['result'], delivery: ['result', 'files'] } },
	},
];

/** All fields of the node, in the order in which it shows them. */
export const fields: INodeProperties[] = [
	...operations,
	JOB_OPERATIONS,
	...sourceFields(),
	...VALUES,
	...aboutField(),
	...furtherSources(),
	COMBINE,
	...tools.flatMap((tool) => tool.fields),
	...RESULT_FIELDS,
	...JOB_FIELDS,
];
