// Made from shared/tools/flatten-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const flattenPdf: Tool = {
	slug: 'flatten-pdf',
	name: 'Flatten PDF',
	description: 'Makes form fields, annotations and layers part of the page',
	category: 'edit',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
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
					displayName: 'Annotations',
					name: 'annotations',
					type: 'boolean',
					default: true,
					description:
						'Whether to turn comments, highlights, stamps and drawings into content of the pages. Links and attached files are kept.',
				},
				{
					displayName: 'Forms',
					name: 'forms',
					type: 'boolean',
					default: true,
					description: 'Whether to turn form fields into content of the pages, as they appear, and remove the form',
				},
				{
					displayName: 'Layers',
					name: 'layers',
					type: 'boolean',
					default: false,
					description: 'Whether to remove hidden layers and turn visible ones into content of the pages',
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['flatten-pdf'] } },
		},
	],
};
