// Made from shared/tools/compare-documents.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const compareDocuments: Tool = {
	slug: 'compare-documents',
	name: 'Compare documents',
	description:
		'Shows two versions of a document side by side, with changed words and areas marked, or lists the changes as JSON',
	category: 'inspect',
	kinds: ['sourceUrl', 'url', 'uploadId', 'jobId', 'html', 'markdown'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 2,
	joins: false,
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
					displayName: 'Mode',
					name: 'mode',
					description:
						'<code>visual</code>: compares matching pages as pictures and by their words, and marks what looks different. <code>text</code>: compares all words of the documents and ignores where lines and pages end.',
					type: 'options',
					options: [
						{
							name: 'Visual',
							value: 'visual',
							description: 'Compares matching pages as pictures and by their words, and marks what looks different',
						},
						{
							name: 'Text',
							value: 'text',
							description: 'Compares all words of the documents and ignores where lines and pages end',
						},
					],
					default: 'visual',
				},
				{
					displayName: 'Format',
					name: 'format',
					description:
						"<code>pdf</code>: the pages side by side, with removed words, added words and changed areas marked. <code>JSON</code>: the similarity of each page, and the place of each change in points from the page's top left corner.",
					type: 'options',
					options: [
						{
							name: 'PDF',
							value: 'pdf',
							description: 'The pages side by side, with removed words, added words and changed areas marked',
						},
						{
							name: 'JSON',
							value: 'json',
							description:
								"The similarity of each page, and the place of each change in points from the page's top left corner",
						},
					],
					default: 'pdf',
				},
				{
					displayName: 'DPI',
					name: 'dpi',
					description:
						'For mode <code>visual</code>: the resolution at which pages are compared. A higher one finds smaller changes and takes longer.',
					type: 'number',
					typeOptions: { minValue: 36, maxValue: 300, numberPrecision: 2 },
					default: 100,
				},
				{
					displayName: 'Only Changed',
					name: 'onlyChanged',
					type: 'boolean',
					default: false,
					description: 'Whether to leave out pages on which nothing changed (for format <code>pdf</code>)',
				},
			],
			displayOptions: { show: { resource: ['inspect'], operation: ['compare-documents'] } },
		},
	],
};
