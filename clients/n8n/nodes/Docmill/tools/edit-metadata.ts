// Made from shared/tools/edit-metadata.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const editMetadata: Tool = {
	slug: 'edit-metadata',
	name: 'Edit PDF metadata',
	description:
		'Sets and removes title, author and other metadata of a PDF, attaches files, and makes Factur-X and ZUGFeRD invoices',
	category: 'edit',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 21,
	joins: false,
	shapes: {
		set: { object: { custom: 'names' } },
		remove: { alone: ['all'] },
		attachments: { rows: {} },
		facturX: { object: {} },
	},
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
					displayName: 'Set',
					name: 'set',
					description: "Entries to set, in the document's information and in its XMP metadata",
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{
							displayName: 'Author',
							name: 'author',
							description: "The document's author",
							type: 'string',
							default: '',
						},
						{
							displayName: 'Custom',
							name: 'custom',
							description:
								'Your own entries, by name. Names that PDF itself defines, such as <code>Producer</code>, are refused.',
							type: 'fixedCollection',
							typeOptions: { multipleValues: true },
							placeholder: 'Add entry',
							default: {},
							options: [
								{
									displayName: 'Entry',
									name: 'entries',
									values: [
										{ displayName: 'Name', name: 'name', type: 'string', default: '' },
										{ displayName: 'Value', name: 'value', type: 'string', default: '' },
									],
								},
							],
						},
						{
							displayName: 'Keywords',
							name: 'keywords',
							description: 'Keywords, separated by commas',
							type: 'string',
							default: '',
						},
						{
							displayName: 'Subject',
							name: 'subject',
							description: "The document's subject",
							type: 'string',
							default: '',
						},
						{ displayName: 'Title', name: 'title', description: "The document's title", type: 'string', default: '' },
					],
				},
				{
					displayName: 'Remove',
					name: 'remove',
					description:
						'<code>all</code>: all metadata of the document and of its parts, except metadata inside picture data. Or the names of entries to remove, such as <code>["Author", "Producer"]</code>. Removal comes before <code>set</code>.',
					type: 'string',
					typeOptions: { multipleValues: true },
					default: [],
				},
				{
					displayName: 'Attachments',
					name: 'attachments',
					description: 'Files to attach: the sources after the PDF',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add entry',
					default: {},
					options: [
						{
							displayName: 'Entry',
							name: 'rows',
							values: [
								{
									displayName: 'Source',
									name: 'source',
									description: 'Number of the source: 1 is the first one after the PDF',
									type: 'number',
									typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
									default: 1,
								},
								{
									displayName: 'Filename',
									name: 'filename',
									description: 'Name of the file in the document. Its own name by default.',
									type: 'string',
									default: '',
								},
								{
									displayName: 'Relationship',
									name: 'relationship',
									description: 'How the file relates to the document: its source, its data, an alternative, or more',
									type: 'options',
									options: [
										{ name: 'Alternative', value: 'alternative' },
										{ name: 'Data', value: 'data' },
										{ name: 'Source', value: 'source' },
										{ name: 'Supplement', value: 'supplement' },
										{ name: 'Unspecified', value: 'unspecified' },
									],
									default: 'unspecified',
								},
								{
									displayName: 'Description',
									name: 'description',
									description: 'A description that viewers show',
									type: 'string',
									default: '',
								},
							],
						},
					],
				},
				{
					displayName: 'Factur-X',
					name: 'facturX',
					description:
						'Puts an invoice into the PDF that shows it (Factur-X 1.0, ZUGFeRD 2), as <code>factur-x.xml</code>, or <code>xrechnung.xml</code> for XRechnung. The PDF becomes PDF/A-3b, as <code>pdf-to-pdfa</code> makes it; an earlier invoice in it is replaced. The invoice is XML in the syntax CII. It must be well-formed and name its profile; its amounts are not checked. Give <code>source</code> or <code>xml</code>.',
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{
							displayName: 'Level',
							name: 'level',
							description: 'The profile that the invoice has to have. By default the one that it names itself.',
							type: 'options',
							options: [
								{ name: 'Basic', value: 'basic' },
								{ name: 'Basic WL', value: 'basicwl' },
								{ name: 'EN 16931', value: 'en16931' },
								{ name: 'Extended', value: 'extended' },
								{ name: 'Minimum', value: 'minimum' },
								{ name: 'XRechnung', value: 'xrechnung' },
							],
							default: 'basic',
						},
						{
							displayName: 'On Unsupported',
							name: 'onUnsupported',
							description:
								'What to do with a PDF that cannot become PDF/A-3b. <code>fail</code>: the job fails, and its error lists the clauses of the standard. <code>warn</code>: the result has the invoice, but does not claim to be PDF/A, so that receivers may refuse it.',
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
										'The result has the invoice, but does not claim to be PDF/A, so that receivers may refuse it',
								},
							],
							default: 'fail',
						},
						{
							displayName: 'Relationship',
							name: 'relationship',
							description:
								'How the XML relates to the PDF. <code>alternative</code> by default, as Germany asks for. <code>minimum</code> and <code>basicwl</code> are always <code>data</code>.',
							type: 'options',
							options: [
								{ name: 'Alternative', value: 'alternative' },
								{ name: 'Source', value: 'source' },
								{ name: 'Data', value: 'data' },
							],
							default: 'alternative',
						},
						{
							displayName: 'Source',
							name: 'source',
							description: 'Number of the source with the XML: 1 is the first one after the PDF',
							type: 'number',
							typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
							default: 1,
						},
						{
							displayName: 'XML',
							name: 'xml',
							description: 'The XML itself, at most 512 KiB: for a further step of a job, which has no other sources',
							type: 'string',
							typeOptions: { rows: 4 },
							default: '',
						},
					],
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['edit-metadata'] } },
		},
	],
};
