// Made from shared/tools/render-template.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const renderTemplate: Tool = {
	slug: 'render-template',
	name: 'Render template',
	description:
		'Fills a Word, Excel, PowerPoint, OpenDocument, HTML or Markdown template with data: values, conditions, rows that repeat, pictures and codes',
	category: 'office',
	kinds: ['sourceUrl', 'uploadId', 'jobId', 'template', 'html', 'markdown'],
	sourceProperties: ['filename', 'headers'],
	most: 21,
	joins: false,
	shapes: { data: 'json', delimiters: { object: {} } },
	ownFields: ['data', 'validateOnly'],
	fields: [
		{
			displayName: 'Data',
			name: 'data',
			description:
				"The data to fill in: names with values, lists and objects of any depth. Or a list of up to 1,000 such objects, with <code>merge</code>: there is a document for each. It can only be left out with <code>validateOnly</code>. It is deleted with the job's request, never logged and never shown.",
			type: 'json',
			placeholder: '{"customer":"Ada Lovelace","items":[{"name":"Garden chair","price":49.9}]}',
			default: '{}',
			displayOptions: { show: { resource: ['office'], operation: ['render-template'] } },
		},
		{
			displayName: 'Validate Only',
			name: 'validateOnly',
			type: 'boolean',
			default: false,
			description:
				'Whether to check the template instead of filling it. The result is JSON with <code>mistakes</code>, the <code>schema</code> of the data that the template expects (JSON Schema), and an <code>example</code>. With <code>data</code>, it also checks whether the data fits.',
			displayOptions: { show: { resource: ['office'], operation: ['render-template'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Delimiters',
					name: 'delimiters',
					description:
						'What begins and ends a tag, such as <code>[[</code> and <code>]]</code>: one to four signs each. <code>{</code> and <code>}</code> by default.',
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{ displayName: 'Open', name: 'open', description: 'What begins a tag', type: 'string', default: '' },
						{ displayName: 'Close', name: 'close', description: 'What ends a tag', type: 'string', default: '' },
					],
				},
				{
					displayName: 'Filename Pattern',
					name: 'filenamePattern',
					description:
						"With <code>merge</code>: the name of each file, or its bookmark, with tags such as <code>{invoice.number}.pdf</code>. Equal names get a number, and what file systems don't take becomes <code>_</code>. The extension is that of the result. Without it, files are numbered.",
					type: 'string',
					default: '',
				},
				{
					displayName: 'Locale',
					name: 'locale',
					description:
						'How numbers, amounts and dates are written: a language with an optional region, such as <code>de-AT</code>',
					type: 'string',
					default: 'en-US',
				},
				{
					displayName: 'Merge',
					name: 'merge',
					description:
						'What a list in <code>data</code> becomes. <code>one</code>: one PDF of all documents after one another, with a bookmark for each. <code>files</code>: a file for each, in a ZIP; further steps that take one file run for each of them.',
					type: 'options',
					options: [
						{
							name: 'One',
							value: 'one',
							description: 'One PDF of all documents after one another, with a bookmark for each',
						},
						{
							name: 'Files',
							value: 'files',
							description: 'A file for each, in a ZIP; further steps that take one file run for each of them',
						},
					],
					default: 'one',
				},
				{
					displayName: 'Missing',
					name: 'missing',
					description:
						'For a tag whose name is not in the data. <code>error</code>: the job fails, and <code>error.details</code> lists the tags. <code>empty</code>: it writes nothing, and a warning names it. <code>keep</code>: the tag stays in the result.',
					type: 'options',
					options: [
						{
							name: 'Error',
							value: 'error',
							description: 'The job fails, and <code>error.details</code> lists the tags',
						},
						{ name: 'Empty', value: 'empty', description: 'It writes nothing, and a warning names it' },
						{ name: 'Keep', value: 'keep', description: 'The tag stays in the result' },
					],
					default: 'error',
				},
				{
					displayName: 'Time Zone',
					name: 'timeZone',
					description: 'The time zone for dates and times, such as <code>Europe/Vienna</code>',
					type: 'string',
					default: 'UTC',
				},
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'boolean',
					default: false,
					description:
						'Whether to compute contents, page numbers, references and dates of a docx from its pages, so that Word need not ask',
				},
			],
			displayOptions: { show: { resource: ['office'], operation: ['render-template'] } },
		},
	],
};
