// Made from shared/tools/merge-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const mergePdf: Tool = {
	slug: 'merge-pdf',
	name: 'Merge PDF',
	description:
		'Joins PDF, office, HTML, Markdown and image files into one PDF, and keeps bookmarks, links, forms and tags',
	category: 'organize',
	kinds: ['sourceUrl', 'url', 'uploadId', 'jobId', 'html', 'markdown'],
	sourceProperties: ['filename', 'password', 'pageRange', 'title', 'headers'],
	most: 100,
	joins: true,
	shapes: {},
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
					displayName: 'Bookmarks',
					name: 'bookmarks',
					description:
						"<code>keep</code>: all bookmarks; those of a source with a <code>title</code> are nested under one of that title. <code>titles</code>: one for each source, named after its <code>title</code>, the document's own title or its file name. <code>names</code>: the same without the document's own title, which documents of one template share. <code>none</code>: no bookmarks.",
					type: 'options',
					options: [
						{
							name: 'Keep',
							value: 'keep',
							description:
								'All bookmarks; those of a source with a <code>title</code> are nested under one of that title',
						},
						{
							name: 'Titles',
							value: 'titles',
							description:
								"One for each source, named after its <code>title</code>, the document's own title or its file name",
						},
						{
							name: 'Names',
							value: 'names',
							description: "The same without the document's own title, which documents of one template share",
						},
						{ name: 'None', value: 'none', description: 'No bookmarks' },
					],
					default: 'keep',
				},
				{
					displayName: 'Page Size',
					name: 'pageSize',
					description:
						'<code>keep</code>: each page keeps its size. <code>first</code>: every page is scaled to the size of the first one. A paper size: every page is scaled to it. Landscape pages stay landscape, and nothing is distorted.',
					type: 'options',
					options: [
						{ name: 'A0', value: 'A0' },
						{ name: 'A1', value: 'A1' },
						{ name: 'A2', value: 'A2' },
						{ name: 'A3', value: 'A3' },
						{ name: 'A4', value: 'A4' },
						{ name: 'A5', value: 'A5' },
						{ name: 'A6', value: 'A6' },
						{
							name: 'First',
							value: 'first',
							description:
								'Every page is scaled to the size of the first one. A paper size: every page is scaled to it. Landscape pages stay landscape, and nothing is distorted.',
						},
						{ name: 'Keep', value: 'keep', description: 'Each page keeps its size' },
						{ name: 'Ledger', value: 'Ledger' },
						{ name: 'Legal', value: 'Legal' },
						{ name: 'Letter', value: 'Letter' },
						{ name: 'Tabloid', value: 'Tabloid' },
					],
					default: 'keep',
				},
				{
					displayName: 'Blank Pages',
					name: 'blankPages',
					description:
						'<code>odd</code>: each source starts on a right-hand page; an empty page is added before it where needed, for printing on both sides',
					type: 'options',
					options: [
						{ name: 'None', value: 'none' },
						{
							name: 'Odd',
							value: 'odd',
							description:
								'Each source starts on a right-hand page; an empty page is added before it where needed, for printing on both sides',
						},
					],
					default: 'none',
				},
			],
			displayOptions: { show: { resource: ['organize'], operation: ['merge-pdf'] } },
		},
	],
};
