// Made from shared/tools/images-to-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const imagesToPdf: Tool = {
	slug: 'images-to-pdf',
	name: 'Images to PDF',
	description: 'Puts JPEG, PNG, WebP, TIFF, GIF, BMP and SVG pictures into a PDF',
	category: 'convert',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'headers'],
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
					displayName: 'DPI',
					name: 'dpi',
					description: 'The resolution that gives images their size. If left out, the image file decides, or 96.',
					type: 'number',
					typeOptions: { minValue: 10, maxValue: 4800, numberPrecision: 0 },
					default: 10,
				},
				{
					displayName: 'Margin',
					name: 'margin',
					description:
						'White space on each side of the image: a number and a unit, such as <code>10mm</code>, <code>1cm</code>, <code>0.5in</code> or <code>36pt</code>',
					type: 'string',
					default: '0mm',
				},
				{
					displayName: 'Orientation',
					name: 'orientation',
					description: 'Orientation of pages of a fixed size. <code>auto</code>: that of the image.',
					type: 'options',
					options: [
						{ name: 'Auto', value: 'auto', description: 'That of the image' },
						{ name: 'Portrait', value: 'portrait' },
						{ name: 'Landscape', value: 'landscape' },
					],
					default: 'auto',
				},
				{
					displayName: 'Page Size',
					name: 'pageSize',
					description: '<code>image</code>: each page is as large as its image',
					type: 'options',
					options: [
						{ name: 'A3', value: 'A3' },
						{ name: 'A4', value: 'A4' },
						{ name: 'A5', value: 'A5' },
						{ name: 'Image', value: 'image', description: 'Each page is as large as its image' },
						{ name: 'Legal', value: 'Legal' },
						{ name: 'Letter', value: 'Letter' },
					],
					default: 'image',
				},
				{
					displayName: 'Tornedalen Finnish',
					name: 'fit',
					description:
						"<code>contain</code>: the whole image, as large as fits on the page. <code>cover</code>: the image fills the page, and the rest is cut off. <code>actual</code>: the image's own size, smaller only if it does not fit on the page.",
					type: 'options',
					options: [
						{ name: 'Contain', value: 'contain', description: 'The whole image, as large as fits on the page' },
						{ name: 'Cover', value: 'cover', description: 'The image fills the page, and the rest is cut off' },
						{
							name: 'Actual',
							value: 'actual',
							description: "The image's own size, smaller only if it does not fit on the page",
						},
					],
					default: 'contain',
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['images-to-pdf'] } },
		},
	],
};
