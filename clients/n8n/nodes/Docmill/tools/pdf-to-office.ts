// Made from shared/tools/pdf-to-office.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const pdfToOffice: Tool = {
	slug: 'pdf-to-office',
	name: 'PDF to office',
	description: 'Makes a Word document, an Excel workbook or a PowerPoint presentation of a PDF, scans too',
	category: 'convert',
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
						'<code>docx</code>: a Word document. <code>xlsx</code>: a workbook of the tables; the job fails if there are none. <code>pptx</code>: a slide for each page.',
					type: 'options',
					options: [
						{ name: 'DOCX', value: 'docx', description: 'A Word document' },
						{ name: 'XLSX', value: 'xlsx', description: 'A workbook of the tables; the job fails if there are none' },
						{ name: 'PPTX', value: 'pptx', description: 'A slide for each page' },
					],
					default: 'docx',
				},
				{
					displayName: 'Languages',
					name: 'languages',
					description: 'Languages that <code>ocr</code> recognizes, by their ISO 639-2 codes, the main one first',
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
					displayName: 'Layout',
					name: 'layout',
					description:
						'<code>flow</code>: text to edit, with styles, lists, tables and notes. <code>exact</code>, only for <code>docx</code>: pages as they look, in boxes.',
					type: 'options',
					options: [
						{
							name: 'Flow',
							value: 'flow',
							description:
								'Text to edit, with styles, lists, tables and notes. <code>exact</code>, only for <code>docx</code>: pages as they look, in boxes.',
						},
						{ name: 'Exact', value: 'exact' },
					],
					default: 'flow',
				},
				{
					displayName: 'OCR',
					name: 'ocr',
					description:
						'Whether text is recognized in pictures of pages (OCR). <code>auto</code>: on pages that have no text, and in large pictures; <code>always</code>: on all pages.',
					type: 'options',
					options: [
						{ name: 'Auto', value: 'auto', description: 'On pages that have no text, and in large pictures' },
						{ name: 'Never', value: 'never' },
						{ name: 'Always', value: 'always', description: 'On all pages' },
					],
					default: 'auto',
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'Pages to take, such as <code>1-3,8,z</code>: numbers from 1, ranges, <code>z</code> for the last page. All pages if left out.',
					type: 'string',
					default: '',
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['pdf-to-office'] } },
		},
	],
};
