// Made from shared/tools/check-accessibility.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const checkAccessibility: Tool = {
	slug: 'check-accessibility',
	name: 'Check accessibility',
	description: 'Checks a PDF by the rules of PDF/UA-1, and lists what only people can judge',
	category: 'inspect',
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
					displayName: 'Format',
					name: 'format',
					description: '<code>html</code>, <code>pdf</code>: a page for people, with pictures of the places',
					type: 'options',
					options: [
						{ name: 'JSON', value: 'json' },
						{ name: 'HTML', value: 'html' },
						{ name: 'PDF', value: 'pdf' },
					],
					default: 'json',
				},
			],
			displayOptions: { show: { resource: ['inspect'], operation: ['check-accessibility'] } },
		},
	],
};
