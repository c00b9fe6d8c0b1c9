// Made from shared/tools/validate-invoice.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const validateInvoice: Tool = {
	slug: 'validate-invoice',
	name: 'Validate invoice',
	description: 'Checks an e-invoice (UBL, CII, Factur-X, ZUGFeRD) by the rules of EN 16931 and XRechnung',
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
					displayName: 'Profile',
					name: 'profile',
					description:
						'The rules: those that the invoice names (<code>auto</code>), of EN 16931 alone, or of XRechnung too',
					type: 'options',
					options: [
						{ name: 'Auto', value: 'auto' },
						{ name: 'EN 16931', value: 'en16931' },
						{ name: 'XRechnung', value: 'xrechnung' },
					],
					default: 'auto',
				},
				{
					displayName: 'Format',
					name: 'format',
					description: '<code>html</code>, <code>pdf</code>: a page for people',
					type: 'options',
					options: [
						{ name: 'JSON', value: 'json' },
						{ name: 'HTML', value: 'html' },
						{ name: 'PDF', value: 'pdf' },
					],
					default: 'json',
				},
				{
					displayName: 'Language',
					name: 'language',
					description: 'Language of the page. Rules are in that of their makers.',
					type: 'options',
					options: [
						{ name: 'En', value: 'en' },
						{ name: 'De', value: 'de' },
						{ name: 'Fr', value: 'fr' },
					],
					default: 'en',
				},
			],
			displayOptions: { show: { resource: ['inspect'], operation: ['validate-invoice'] } },
		},
	],
};
