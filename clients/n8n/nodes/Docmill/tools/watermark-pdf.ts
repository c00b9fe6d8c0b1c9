// Made from shared/tools/watermark-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const watermarkPdf: Tool = {
	slug: 'watermark-pdf',
	name: 'Watermark PDF',
	description: 'Stamps text in any script, page numbers, a picture or a PDF on pages',
	category: 'edit',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 2,
	joins: false,
	shapes: {},
	ownFields: ['text'],
	fields: [
		{
			displayName: 'Text',
			name: 'text',
			description:
				"The text, in any script; <code>\\n</code> begins a new line. <code>{page}</code> is the page's number, <code>{pages}</code> the number of pages, <code>{date}</code> the day (UTC), such as <code>2026-11-21</code>. Leave it out if the second source is a stamp: a picture, or a PDF whose first page is used.",
			type: 'string',
			default: '',
			displayOptions: { show: { resource: ['edit'], operation: ['watermark-pdf'] } },
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
					description: 'Color of the text, as <code>#rrggbb</code>',
					type: 'color',
					default: '#808080',
				},
				{
					displayName: 'Font Size',
					name: 'fontSize',
					description: 'Size of the text in points. By default 48, or less if that does not fit on the page.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 1000, numberPrecision: 2 },
					default: 1,
				},
				{
					displayName: 'Layer',
					name: 'layer',
					description:
						"<code>under</code> puts the mark behind the page's content. A page with its own background hides it.",
					type: 'options',
					options: [
						{ name: 'Over', value: 'over' },
						{ name: 'Under', value: 'under' },
					],
					default: 'over',
				},
				{
					displayName: 'Margin',
					name: 'margin',
					description: 'Space between the mark and the edge of the page, in points (1/72 inch)',
					type: 'number',
					typeOptions: { minValue: 0, maxValue: 1000, numberPrecision: 2 },
					default: 36,
				},
				{
					displayName: 'Opacity',
					name: 'opacity',
					description: '1 hides the content below',
					type: 'number',
					typeOptions: { minValue: 0.01, maxValue: 1, numberPrecision: 2 },
					default: 0.3,
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'Which pages to mark. Pages and ranges, counted from 1, such as <code>1-3,8,z-6</code>; <code>z</code> is the last page, <code>r2</code> the one before it. All pages by default.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Position',
					name: 'position',
					description:
						'Position on the page, as a viewer shows it. <code>tile</code> repeats the mark over the whole page.',
					type: 'options',
					options: [
						{ name: 'Bottom', value: 'bottom' },
						{ name: 'Bottom Left', value: 'bottom-left' },
						{ name: 'Bottom Right', value: 'bottom-right' },
						{ name: 'Center', value: 'center' },
						{ name: 'Left', value: 'left' },
						{ name: 'Right', value: 'right' },
						{ name: 'Tile', value: 'tile' },
						{ name: 'Top', value: 'top' },
						{ name: 'Top Left', value: 'top-left' },
						{ name: 'Top Right', value: 'top-right' },
					],
					default: 'center',
				},
				{
					displayName: 'Rotation',
					name: 'rotation',
					description: 'Degrees, counter-clockwise: 45 rises from left to right',
					type: 'number',
					typeOptions: { minValue: -360, maxValue: 360, numberPrecision: 2 },
					default: 0,
				},
				{
					displayName: 'Width',
					name: 'width',
					description:
						'Width of the stamp in points. By default its own width, or less if that does not fit on the page; pictures have 96 pixels to the inch.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 14400, numberPrecision: 2 },
					default: 1,
				},
			],
			displayOptions: { show: { resource: ['edit'], operation: ['watermark-pdf'] } },
		},
	],
};
