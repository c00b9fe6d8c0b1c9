// Made from shared/tools/extract-document.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const extractDocument: Tool = {
	slug: 'extract-document',
	name: 'Extract document',
	description: 'Reads any document as blocks with roles and boxes, tables and figures, as JSON or Markdown',
	category: 'convert',
	kinds: ['sourceUrl', 'url', 'uploadId', 'jobId', 'html', 'markdown'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 100,
	joins: true,
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
						"<code>JSON</code>: pages, and blocks in reading order with their roles, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text. <code>markdown</code>: headings, lists, tables, footnotes, links and emphasis.",
					type: 'options',
					options: [
						{
							name: 'JSON',
							value: 'json',
							description:
								"Pages, and blocks in reading order with their roles, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text",
						},
						{
							name: 'Markdown',
							value: 'markdown',
							description: 'Headings, lists, tables, footnotes, links and emphasis',
						},
					],
					default: 'json',
				},
				{
					displayName: 'Headers Footers',
					name: 'headersFooters',
					description:
						'Running headers, footers and page numbers: lines in the margins that repeat at the same place on several pages, in type no larger than the text. <code>drop</code> leaves them out, with a warning. <code>keep</code> has them as blocks of their own.',
					type: 'options',
					options: [
						{ name: 'Drop', value: 'drop' },
						{ name: 'Keep', value: 'keep' },
					],
					default: 'drop',
				},
				{
					displayName: 'Images',
					name: 'images',
					description:
						'Pictures in the document. <code>none</code>: only their places. <code>files</code>: each is a file of the result, too. <code>inline</code>: their data is in the result.',
					type: 'options',
					options: [
						{ name: 'None', value: 'none', description: 'Only their places' },
						{ name: 'Files', value: 'files', description: 'Each is a file of the result, too' },
						{ name: 'Inline', value: 'inline', description: 'Their data is in the result' },
					],
					default: 'none',
				},
				{
					displayName: 'Languages',
					name: 'languages',
					description:
						'Languages of the text that <code>ocr</code> recognizes, by their ISO 639-2 codes, the main one first. Without <code>ocr</code>, they have no effect.',
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
					displayName: 'OCR',
					name: 'ocr',
					description:
						'Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. <code>auto</code>: on pages that have no text, and in large pictures; <code>always</code>: on all pages, instead of their text.',
					type: 'options',
					options: [
						{ name: 'Auto', value: 'auto', description: 'On pages that have no text, and in large pictures' },
						{ name: 'Never', value: 'never' },
						{ name: 'Always', value: 'always', description: 'On all pages, instead of their text' },
					],
					default: 'auto',
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'Pages to take, such as <code>1-3,8,z</code>: numbers from 1, ranges, <code>z</code> for the last page, <code>r2</code> for the one before it. All pages if left out; pages listed twice are included once.',
					type: 'string',
					default: '',
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['extract-document'] } },
		},
	],
};
