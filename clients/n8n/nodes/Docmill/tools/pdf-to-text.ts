// Made from shared/tools/pdf-to-text.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const pdfToText: Tool = {
	slug: 'pdf-to-text',
	name: 'PDF to text',
	description: 'Reads a PDF as plain text, Markdown, HTML or JSON with positions',
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
						"<code>text</code>: plain text in reading order, with a form feed between pages. <code>markdown</code>: headings, lists, tables, links and emphasis. <code>JSON</code>: blocks, lines, table cells and words with their boxes (left, top, right and bottom in points from the page's upper left corner), and the words' fonts. A table over several pages is one, with further boxes in <code>continued</code>. <code>html</code>: the structure as a plain page.",
					type: 'options',
					options: [
						{ name: 'Text', value: 'text', description: 'Plain text in reading order, with a form feed between pages' },
						{ name: 'Markdown', value: 'markdown', description: 'Headings, lists, tables, links and emphasis' },
						{
							name: 'JSON',
							value: 'json',
							description:
								"Blocks, lines, table cells and words with their boxes (left, top, right and bottom in points from the page's upper left corner), and the words' fonts. A table over several pages is one, with further boxes in <code>continued</code>.",
						},
						{ name: 'HTML', value: 'html', description: 'The structure as a plain page' },
					],
					default: 'text',
				},
				{
					displayName: 'Headers Footers',
					name: 'headersFooters',
					description:
						"Lines in the margins that repeat on several pages, or are a page's number or an imprint. <code>drop</code> leaves them out of <code>markdown</code>, with a warning, and marks them as asides in <code>JSON</code> and <code>html</code>. <code>keep</code> treats them as text. The format <code>text</code> always has them.",
					type: 'options',
					options: [
						{ name: 'Drop', value: 'drop' },
						{ name: 'Keep', value: 'keep' },
					],
					default: 'drop',
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
					type: 'boolean',
					default: false,
					description:
						'Whether to use spaces to keep words at their positions on the page. Only for the format <code>text</code>.',
				},
				{
					displayName: 'OCR',
					name: 'ocr',
					description:
						'Whether text is recognized in pictures of pages (OCR), which takes seconds for each page. <code>auto</code>: on pages that have no text; <code>always</code>: on all pages, instead of their text.',
					type: 'options',
					options: [
						{ name: 'Never', value: 'never' },
						{ name: 'Auto', value: 'auto', description: 'On pages that have no text' },
						{ name: 'Always', value: 'always', description: 'On all pages, instead of their text' },
					],
					default: 'never',
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'Pages to take, such as <code>1-3,8,z</code>: <code>z</code> is the last page, <code>r2</code> the one before it. All by default, and each once.',
					type: 'string',
					default: '',
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['pdf-to-text'] } },
		},
	],
};
