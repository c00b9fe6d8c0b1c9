// Made from shared/tools/pdf-to-pdfa.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const pdfToPdfa: Tool = {
	slug: 'pdf-to-pdfa',
	name: 'PDF to PDF/A',
	description:
		'Makes a PDF fit for archives: embeds fonts, gives colors a profile, and says which rules of PDF/A it breaks',
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
					displayName: 'Level',
					name: 'level',
					description:
						'The level of PDF/A. <code>1b</code> allows no transparency and no layers, <code>2b</code> both, and <code>3b</code> attached files too.',
					type: 'options',
					options: [
						{ name: '1b', value: '1b' },
						{ name: '2b', value: '2b' },
						{ name: '3b', value: '3b' },
					],
					default: '2b',
				},
				{
					displayName: 'On Unsupported',
					name: 'onUnsupported',
					description:
						"What to do with a document that can't become PDF/A, such as one with a font that is neither embedded nor available. <code>fail</code>: the job fails, and its error lists the clauses of the standard. <code>warn</code>: the result is as close as possible, does not claim to be PDF/A, and the report lists the clauses.",
					type: 'options',
					options: [
						{
							name: 'Fail',
							value: 'fail',
							description: 'The job fails, and its error lists the clauses of the standard',
						},
						{
							name: 'Warn',
							value: 'warn',
							description:
								'The result is as close as possible, does not claim to be PDF/A, and the report lists the clauses',
						},
					],
					default: 'fail',
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['pdf-to-pdfa'] } },
		},
	],
};
