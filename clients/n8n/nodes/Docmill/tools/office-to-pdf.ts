// Made from shared/tools/office-to-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const officeToPdf: Tool = {
	slug: 'office-to-pdf',
	name: 'Office to PDF',
	description: 'Converts Word, Excel, PowerPoint, OpenDocument, RTF, text and CSV files to PDF',
	category: 'office',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'headers'],
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
					displayName: 'Accessible',
					name: 'accessible',
					type: 'boolean',
					default: false,
					description:
						"Whether to make the PDF accessible from the document's structure. If it passes the check, it says that it is PDF/UA-1.",
				},
				{
					displayName: 'Bookmarks',
					name: 'bookmarks',
					type: 'boolean',
					default: false,
					description: 'Whether to write headings as PDF bookmarks; on by default with <code>best_output</code>',
				},
				{
					displayName: 'Conversion Provider Mode',
					name: 'conversionProviderMode',
					description:
						'<code>default</code> is fast and small; <code>best_output</code> is tagged, keeps images lossless, and writes bookmarks',
					type: 'options',
					options: [
						{ name: 'Default', value: 'default' },
						{ name: 'Best Output', value: 'best_output' },
					],
					default: 'default',
				},
				{
					displayName: 'Image Quality',
					name: 'imageQuality',
					description:
						'The JPEG quality of photographs that are scaled down, that are of a much higher quality, or that are no JPEGs. If left out, <code>best_output</code> keeps pictures unchanged.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
					default: 90,
				},
				{
					displayName: 'Include Notes',
					name: 'includeNotes',
					type: 'boolean',
					default: false,
					description: 'Whether to add speaker notes (presentations) or comments in the margin (text documents)',
				},
				{
					displayName: 'Landscape',
					name: 'landscape',
					type: 'boolean',
					default: false,
					description:
						'Whether to turn every page to landscape (true) or portrait (false). If left out, the document decides.',
				},
				{
					displayName: 'Max Image DPI',
					name: 'maxImageDpi',
					description: 'Pictures above this resolution are scaled down if that makes them smaller',
					type: 'options',
					options: [
						{ name: '1200', value: 1200 },
						{ name: '150', value: 150 },
						{ name: '300', value: 300 },
						{ name: '600', value: 600 },
						{ name: '75', value: 75 },
					],
					default: 300,
				},
				{
					displayName: 'Page Range',
					name: 'pageRange',
					description:
						'Pages to keep, such as <code>1-3,8,z</code>, in any order; <code>z</code> is the last page, <code>r2</code> the one before it',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Password',
					name: 'password',
					description: "Password of an encrypted source. It is deleted with the job's request and never shown.",
					type: 'string',
					typeOptions: { password: true },
					default: '',
				},
				{
					displayName: 'PDF Version',
					name: 'pdfVersion',
					description:
						'The version or standard of the PDF: 1.7, PDF/A-1b, 2b or 3b for archives, or PDF/UA for accessibility',
					type: 'options',
					options: [
						{ name: '1.7', value: '1.7' },
						{ name: 'PDF/A-1b', value: 'pdfa-1b' },
						{ name: 'PDF/A-2b', value: 'pdfa-2b' },
						{ name: 'PDF/A-3b', value: 'pdfa-3b' },
						{ name: 'PDF/UA', value: 'pdfua' },
					],
					default: '1.7',
				},
				{
					displayName: 'Single Page Sheets',
					name: 'singlePageSheets',
					type: 'boolean',
					default: false,
					description: 'Whether to print each sheet on one page of its own size',
				},
				{
					displayName: 'Tracked Changes',
					name: 'trackedChanges',
					description:
						'How to print tracked changes of a text document: <code>accepted</code>, or <code>shown</code> as changes',
					type: 'options',
					options: [
						{ name: 'Accepted', value: 'accepted' },
						{ name: 'Shown', value: 'shown' },
					],
					default: 'accepted',
				},
			],
			displayOptions: { show: { resource: ['office'], operation: ['office-to-pdf'] } },
		},
	],
};
