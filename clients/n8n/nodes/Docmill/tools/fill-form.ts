// Made from shared/tools/fill-form.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const fillForm: Tool = {
	slug: 'fill-form',
	name: 'Fill PDF form',
	description: 'Fills in the fields of a PDF form, in any script',
	category: 'edit',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: { fields: 'json' },
	ownFields: ['fields'],
	fields: [
		{
			displayName: 'Fields',
			name: 'fields',
			description:
				'Values by full field name, such as <code>{"name": "Zoë", "terms": true}</code>: text or a number for a text field; <code>true</code>, <code>false</code> or the name of a choice for boxes and buttons; a choice, or a list of choices, for lists. <code>null</code> clears a field. <code>inspect-document</code> lists a form\'s fields and choices.',
			type: 'json',
			placeholder: '{"name":"Zoë Müller","terms":true}',
			default: '{}',
			required: true,
			displayOptions: { show: { resource: ['edit'], operation: ['fill-form'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Flatten',
					name: 'flatten',
					type: 'boolean',
					default: false,
					description: "Whether the fields become content of the pages, and can't be changed any more",
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['fill-form'] } },
		},
	],
};
