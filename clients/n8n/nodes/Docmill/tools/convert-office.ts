// Made from shared/tools/convert-office.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const convertOffice: Tool = {
	slug: 'convert-office',
	name: 'Convert office files',
	description:
		'Converts between Word, Excel, PowerPoint, OpenDocument, RTF, text, HTML and CSV, or to a picture of a page',
	category: 'office',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'headers'],
	most: 1,
	joins: false,
	shapes: { sheet: 'measure' },
	ownFields: ['format'],
	fields: [
		{
			displayName: 'Format',
			name: 'format',
			description:
				'The format of the result. Text documents become docx, odt, rtf, txt or html; spreadsheets xlsx, ods or csv; presentations pptx or odp; and a page of any of them, or of a drawing, a png.',
			type: 'options',
			options: [
				{ name: 'CSV', value: 'csv' },
				{ name: 'DOCX', value: 'docx' },
				{ name: 'HTML', value: 'html' },
				{ name: 'ODP', value: 'odp' },
				{ name: 'ODS', value: 'ods' },
				{ name: 'ODT', value: 'odt' },
				{ name: 'PNG', value: 'png' },
				{ name: 'PPTX', value: 'pptx' },
				{ name: 'RTF', value: 'rtf' },
				{ name: 'TXT', value: 'txt' },
				{ name: 'XLSX', value: 'xlsx' },
			],
			default: 'csv',
			required: true,
			displayOptions: { show: { resource: ['office'], operation: ['convert-office'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'DPI',
					name: 'dpi',
					description: 'Resolution of a png in dots per inch',
					type: 'number',
					typeOptions: { minValue: 36, maxValue: 600, numberPrecision: 0 },
					default: 150,
				},
				{
					displayName: 'Encoding',
					name: 'encoding',
					description:
						'The encoding of csv. Excel opens csv as UTF-8 only with a byte order mark: <code>utf-8-bom</code>.',
					type: 'options',
					options: [
						{ name: 'Big5', value: 'big5' },
						{ name: 'EUC KR', value: 'euc-kr' },
						{ name: 'GB 18030', value: 'gb18030' },
						{ name: 'Shift_JIS', value: 'shift_jis' },
						{ name: 'UTF 8', value: 'utf-8' },
						{ name: 'UTF 8 BOM', value: 'utf-8-bom' },
						{ name: 'Windows 1250', value: 'windows-1250' },
						{ name: 'Windows 1251', value: 'windows-1251' },
						{ name: 'Windows 1252', value: 'windows-1252' },
					],
					default: 'utf-8',
				},
				{
					displayName: 'Page',
					name: 'page',
					description: 'The page that a png shows, as the document is printed',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100000, numberPrecision: 0 },
					default: 1,
				},
				{
					displayName: 'Password',
					name: 'password',
					description:
						"Password of an encrypted source. It is deleted with the job's request and never shown. The result is not encrypted.",
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
				{
					displayName: 'Separator',
					name: 'separator',
					description: 'What separates the cells of csv',
					type: 'options',
					options: [
						{ name: 'Comma', value: ',' },
						{ name: 'Semicolon', value: ';' },
						{ name: 'Tab', value: '\t' },
						{ name: 'Vertical Bar', value: '|' },
					],
					default: ',',
				},
				{
					displayName: 'Sheet',
					name: 'sheet',
					description:
						'The sheet that becomes csv: its number, counted from 1, or its name; <code>all</code> makes a file of each sheet',
					type: 'string',
					default: '1',
				},
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'boolean',
					default: false,
					description:
						'Whether to compute contents, page numbers, references and dates of a docx result from its pages, so that Word need not ask',
				},
			],
			displayOptions: { show: { resource: ['office'], operation: ['convert-office'] } },
		},
	],
};
