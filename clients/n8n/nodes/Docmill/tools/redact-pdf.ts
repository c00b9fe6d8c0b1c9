// Made from shared/tools/redact-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const redactPdf: Tool = {
	slug: 'redact-pdf',
	name: 'Redact PDF',
	description:
		'Removes text, regions and hidden data from a PDF for good, and proves that they are gone before it delivers the result. If nothing is found, the job completes with the warning <code>nothing_redacted</code>, unless <code>nothingFound</code> is <code>fail</code>.',
	category: 'security',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: { regions: { rows: { box: 'numbers' } }, text: { rows: {} } },
	ownFields: ['regions', 'text'],
	fields: [
		{
			displayName: 'Regions',
			name: 'regions',
			description:
				'Areas to remove: all text, drawings, parts of pictures, links, comments and fields in them. An annotation or field that is partly in an area is removed as a whole. Send <code>regions</code>, <code>text</code> or both.',
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
							displayName: 'Page',
							name: 'page',
							description: 'The page, counted from 1',
							type: 'number',
							typeOptions: { minValue: 1, maxValue: 2000, numberPrecision: 0 },
							default: 1,
						},
						{
							displayName: 'Box',
							name: 'box',
							description:
								'Left, top, right and bottom in points (1/72 inch), from the top left corner of the page as a viewer shows it. <code>pdf-to-text</code> with format <code>JSON</code> gives the boxes of words in the same units.',
							type: 'string',
							placeholder: 'e.g. 72, 96, 300, 110',
							default: '',
						},
					],
				},
			],
			displayOptions: { show: { resource: ['security'], operation: ['redact-pdf'] } },
		},
		{
			displayName: 'Text',
			name: 'text',
			description:
				'Text to remove wherever it occurs: on pages, in pictures that OCR can read, in bookmarks, fields, comments, links and descriptions. Ligatures, hyphenation, letter-spacing and kinds of dashes and quotes make no difference. A string stands for an object with only <code>literal</code>.',
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
							displayName: 'Literal',
							name: 'literal',
							description: "This text, such as a name. A space matches a line's end, too.",
							type: 'string',
							default: '',
						},
						{
							displayName: 'Pattern',
							name: 'pattern',
							description:
								'A regular expression, such as <code>\\d{3}-\\d{2}-\\d{4}</code>, without look-around and back-references. Lines are joined by a space. Not used if <code>literal</code> is given.',
							type: 'string',
							default: '',
						},
						{
							displayName: 'Case Sensitive',
							name: 'caseSensitive',
							type: 'boolean',
							default: false,
							description: 'Whether small and capital letters are different',
						},
						{
							displayName: 'Whole Words',
							name: 'wholeWords',
							type: 'boolean',
							default: false,
							description: 'Whether to leave text alone that is a part of a longer word',
						},
					],
				},
			],
			displayOptions: { show: { resource: ['security'], operation: ['redact-pdf'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Color',
					name: 'color',
					description: 'Color of the boxes that take the place of what was removed, as <code>#rrggbb</code>',
					type: 'color',
					default: '#000000',
				},
				{
					displayName: 'Label',
					name: 'label',
					description: 'Text in the boxes, such as <code>Redacted</code>. None by default.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Languages',
					name: 'languages',
					description:
						'Languages of the text, for the OCR that checks the result and finds text in pictures. Codes as in <code>ocr-pdf</code>.',
					type: 'multiOptions',
					options: [
						{ name: 'Arabic', value: 'ara' },
						{ name: 'Chinese (Simplified)', value: 'chi_sim' },
						{ name: 'Chinese (Traditional)', value: 'chi_tra' },
						{ name: 'Czech', value: 'ces' },
						{ name: 'Danish', value: 'dan' },
						{ name: 'Dutch', value: 'nld' },
						{ name: 'English', value: 'eng' },
						{ name: 'Finnish', value: 'fin' },
						{ name: 'French', value: 'fra' },
						{ name: 'German', value: 'deu' },
						{ name: 'Greek', value: 'ell' },
						{ name: 'Hebrew', value: 'heb' },
						{ name: 'Hindi', value: 'hin' },
						{ name: 'Hungarian', value: 'hun' },
						{ name: 'Italian', value: 'ita' },
						{ name: 'Japanese', value: 'jpn' },
						{ name: 'Korean', value: 'kor' },
						{ name: 'Norwegian', value: 'nor' },
						{ name: 'Polish', value: 'pol' },
						{ name: 'Portuguese', value: 'por' },
						{ name: 'Romanian', value: 'ron' },
						{ name: 'Russian', value: 'rus' },
						{ name: 'Spanish', value: 'spa' },
						{ name: 'Swedish', value: 'swe' },
						{ name: 'Turkish', value: 'tur' },
						{ name: 'Ukrainian', value: 'ukr' },
					],
					default: ['eng'],
				},
				{
					displayName: 'Metadata',
					name: 'metadata',
					type: 'boolean',
					default: true,
					description:
						'Whether to remove all metadata: title, author, dates, XMP. If <code>false</code>, only entries that mention what is redacted change. Attachments, scripts, hidden layers and annotations, previews and the metadata of pictures are always removed.',
				},
				{
					displayName: 'Nothing Found',
					name: 'nothingFound',
					description:
						'If nothing is found to redact, such as a misspelled name: <code>warn</code> makes a result like the source, with the warning <code>nothing_redacted</code>; <code>fail</code> fails the job',
					type: 'options',
					options: [
						{ name: 'Warn', value: 'warn' },
						{ name: 'Fail', value: 'fail' },
					],
					default: 'warn',
				},
			],
			displayOptions: { show: { resource: ['security'], operation: ['redact-pdf'] } },
		},
	],
};
