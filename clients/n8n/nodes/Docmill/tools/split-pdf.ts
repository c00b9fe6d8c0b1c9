// Made from shared/tools/split-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const splitPdf: Tool = {
	slug: 'split-pdf',
	name: 'Split PDF',
	description: 'Splits a PDF into several by pages, ranges, bookmarks, blank pages or size',
	category: 'organize',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: { ranges: { alone: [] } },
	ownFields: [],
	fields: [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Filename Pattern',
					name: 'filenamePattern',
					description:
						"Names of the files, without <code>.pdf</code>. <code>{name}</code> is the source's file name, <code>{n}</code> the number of the file, <code>{title}</code> the bookmark that it starts with (mode <code>bookmarks</code>).",
					type: 'string',
					default: '{name}-{n}',
				},
				{
					displayName: 'Level',
					name: 'level',
					description:
						'For mode <code>bookmarks</code>: the deepest level of bookmarks that starts a file. 1 is the top level.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 10, numberPrecision: 0 },
					default: 1,
				},
				{
					displayName: 'Mode',
					name: 'mode',
					description:
						'By default, that of the given option: <code>ranges</code>, <code>level</code> or <code>mebibytes</code>. <code>ranges</code>: a file for each entry of <code>ranges</code>. <code>every</code>: files of <code>every</code> pages each. <code>bookmarks</code>: a new file at each page that a bookmark leads to, down to <code>level</code>. <code>blank</code>: a new file after each blank page; the blank pages are left out. <code>size</code>: as many pages in each file as fit into <code>mebibytes</code>.',
					type: 'options',
					options: [
						{
							name: 'Blank',
							value: 'blank',
							description: 'A new file after each blank page; the blank pages are left out',
						},
						{
							name: 'Bookmarks',
							value: 'bookmarks',
							description: 'A new file at each page that a bookmark leads to, down to <code>level</code>',
						},
						{ name: 'Pages per File', value: 'every', description: 'Files of <code>every</code> pages each' },
						{ name: 'Ranges', value: 'ranges', description: 'A file for each entry of <code>ranges</code>' },
						{
							name: 'Size',
							value: 'size',
							description: 'As many pages in each file as fit into <code>mebibytes</code>',
						},
					],
					default: 'every',
				},
				{
					displayName: 'Pages per File',
					name: 'every',
					description: 'For mode <code>every</code>: pages in each file',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 2000, numberPrecision: 0 },
					default: 1,
				},
				{
					displayName: 'Ranges',
					name: 'ranges',
					description:
						'For mode <code>ranges</code>: the pages of each file, such as <code>["1-3", "7", "9-z"]</code>. Pages may be in several files, or in none.',
					type: 'string',
					typeOptions: { multipleValues: true },
					default: [],
				},
				{
					displayName: 'Size in MiB',
					name: 'mebibytes',
					description:
						'For mode <code>size</code>: the maximum size of a file in MiB. A single page that is larger gets its own file, with the warning <code>part_too_large</code>.',
					type: 'number',
					typeOptions: { minValue: 0.05, maxValue: 1000, numberPrecision: 2 },
					default: 10,
				},
			],
			displayOptions: { show: { resource: ['organize'], operation: ['split-pdf'] } },
		},
	],
};
