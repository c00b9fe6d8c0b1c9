// Made from shared/tools/ocr-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const ocrPdf: Tool = {
	slug: 'ocr-pdf',
	name: 'OCR PDF',
	description: 'Makes scans searchable: recognizes the text of pages that have none and adds an invisible text layer',
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
					displayName: 'Deskew',
					name: 'deskew',
					type: 'boolean',
					default: false,
					description:
						'Whether to straighten pages that were scanned at an angle of up to 7 degrees. Pictures keep their quality: the page turns as a whole.',
				},
				{
					displayName: 'DPI',
					name: 'dpi',
					description:
						'The resolution at which pages are recognized, in dots per inch. If left out, it is that of the scan, from 150 to 300, and 300 for pages that are not scans.',
					type: 'number',
					typeOptions: { minValue: 100, maxValue: 600, numberPrecision: 0 },
					default: 100,
				},
				{
					displayName: 'Languages',
					name: 'languages',
					description:
						'Languages of the text, by their ISO 639-2 codes, the main one first; <code>chi_sim</code> and <code>chi_tra</code> are simplified and traditional Chinese. Name only those that occur: each takes time, and too many lead to mistakes.',
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
					displayName: 'Mode',
					name: 'mode',
					description:
						"What happens to pages that have text. <code>skipText</code>: they stay as they are. <code>redo</code>: they lose the invisible text of an earlier OCR, and are recognized again, except for visible text. <code>force</code>: a picture takes the place of the page and is recognized, for text that can't be copied correctly.",
					type: 'options',
					options: [
						{ name: 'Skip Text', value: 'skipText', description: 'They stay as they are' },
						{
							name: 'Redo',
							value: 'redo',
							description:
								'They lose the invisible text of an earlier OCR, and are recognized again, except for visible text',
						},
						{
							name: 'Force',
							value: 'force',
							description:
								"A picture takes the place of the page and is recognized, for text that can't be copied correctly",
						},
					],
					default: 'skipText',
				},
				{
					displayName: 'Rotate',
					name: 'rotate',
					type: 'boolean',
					default: false,
					description:
						'Whether to turn pages upright that were scanned sideways or upside down, if they have enough text to tell',
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['ocr-pdf'] } },
		},
	],
};
