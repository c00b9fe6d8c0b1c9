// Made from shared/tools/read-invoice.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const readInvoice: Tool = {
	slug: 'read-invoice',
	name: 'Read invoice',
	description: 'Reads an e-invoice (UBL, CII, Factur-X, ZUGFeRD) as JSON, or shows it as a page',
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
					description:
						'<code>JSON</code>: all terms of EN 16931, the same for each syntax. <code>html</code>, <code>pdf</code>: a page for people.',
					type: 'options',
					options: [
						{
							name: 'JSON',
							value: 'json',
							description:
								'All terms of EN 16931, the same for each syntax. <code>html</code>, <code>pdf</code>: a page for people.',
						},
						{ name: 'HTML', value: 'html' },
						{ name: 'PDF', value: 'pdf' },
					],
					default: 'json',
				},
				{
					displayName: 'Language',
					name: 'language',
					description: 'Language of the page',
					type: 'options',
					options: [
						{ name: 'En', value: 'en' },
						{ name: 'De', value: 'de' },
						{ name: 'Fr', value: 'fr' },
					],
					default: 'en',
				},
			],
			displayOptions: { show: { resource: ['inspect'], operation: ['read-invoice'] } },
		},
	],
};
