// Made from shared/tools/extract-document.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const extractDocument: Tool = {
	slug: 'extract-document',
	name: 'Extract document',
	description:
		'Reads any document as blocks with roles and boxes, tables and figures, as JSON, Markdown, HTML, chunks, CSV or xlsx',
	category: 'convert',
	kinds: ['sourceUrl', 'url', 'uploadId', 'jobId', 'html', 'markdown'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 100,
	joins: true,
	shapes: { chunks: { object: {} } },
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
					displayName: 'Chunks',
					name: 'chunks',
					description:
						"How <code>chunks</code> are made. Blocks that don't fit are parted between sentences, and sentences between words. A word or a table's row is never parted: if it has more tokens, so has its chunk.",
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{
							displayName: 'Max Tokens',
							name: 'maxTokens',
							description:
								'The most tokens of a chunk, in the encoding <code>o200k_base</code>. Other models count more or fewer.',
							type: 'number',
							typeOptions: { minValue: 32, maxValue: 8192, numberPrecision: 0 },
							default: 512,
						},
						{
							displayName: 'Overlap',
							name: 'overlap',
							description:
								"How many tokens of a chunk's end the next one repeats, at most: whole words and rows, up to half of <code>maxTokens</code>, and nothing where <code>splitAt</code> begins a chunk",
							type: 'number',
							typeOptions: { minValue: 0, maxValue: 4096, numberPrecision: 0 },
							default: 0,
						},
						{
							displayName: 'Split At',
							name: 'splitAt',
							description: 'Where a chunk begins in any case',
							type: 'options',
							options: [
								{ name: 'Heading', value: 'heading' },
								{ name: 'Page', value: 'page' },
								{ name: 'None', value: 'none' },
							],
							default: 'heading',
						},
					],
				},
				{
					displayName: 'Format',
					name: 'format',
					description:
						"<code>JSON</code>: pages, and blocks in reading order with role, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text. <code>markdown</code>: headings, lists, tables, footnotes, links and emphasis. <code>html</code>: the same; elements have the identifiers of their blocks, and their page in <code>data-page</code>. <code>chunks</code>: JSON lines, each with <code>text</code>, <code>tokens</code>, <code>headings</code> above it, <code>blocks</code>, <code>pages</code> and <code>boxes</code>. <code>tables</code>: a CSV file for each table; an apostrophe begins what would be a formula. <code>xlsx</code>: a workbook with a sheet for each table, without formulas; a column is numbers if all of its cells are, without separators of thousands. Without tables, both fail, or warn (<code>no_tables</code>) if other sources have some.",
					type: 'options',
					options: [
						{
							name: 'Chunks',
							value: 'chunks',
							description:
								'JSON lines, each with <code>text</code>, <code>tokens</code>, <code>headings</code> above it, <code>blocks</code>, <code>pages</code> and <code>boxes</code>',
						},
						{
							name: 'HTML',
							value: 'html',
							description:
								'The same; elements have the identifiers of their blocks, and their page in <code>data-page</code>',
						},
						{
							name: 'JSON',
							value: 'json',
							description:
								"Pages, and blocks in reading order with role, text and boxes (left, top, right and bottom in points from the page's upper left corner); tables with cells, figures, bookmarks, links, footnotes, hidden text",
						},
						{
							name: 'Markdown',
							value: 'markdown',
							description: 'Headings, lists, tables, footnotes, links and emphasis',
						},
						{
							name: 'Tables',
							value: 'tables',
							description: 'A CSV file for each table; an apostrophe begins what would be a formula',
						},
						{
							name: 'XLSX',
							value: 'xlsx',
							description:
								'A workbook with a sheet for each table, without formulas; a column is numbers if all of its cells are, without separators of thousands. Without tables, both fail, or warn (<code>no_tables</code>) if other sources have some.',
						},
					],
					default: 'json',
				},
				{
					displayName: 'Headers Footers',
					name: 'headersFooters',
					description:
						"Lines in the margins that repeat on several pages, or are a page's number or an imprint. <code>drop</code> leaves them out, with a warning. <code>keep</code> has them as blocks of their own.",
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
						'Whether how docx, odt, xlsx, ods, csv, pptx, odp, HTML, Markdown and messages are read. <code>false</code>: by their own structure, without pages and boxes. <code>true</code>: as they are printed, with both, like other formats.',
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
						'Pages to take, such as <code>1-3,8,z</code>: <code>z</code> is the last page, <code>r2</code> the one before it. All by default, and each once. Other documents than PDFs are printed for it, as with <code>layout</code>.',
					type: 'string',
					default: '',
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['extract-document'] } },
		},
	],
};
