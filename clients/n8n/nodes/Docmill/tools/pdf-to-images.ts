// Made from shared/tools/pdf-to-images.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const pdfToImages: Tool = {
	slug: 'pdf-to-images',
	name: 'PDF to images',
	description: 'Draws each page of a PDF as a PNG, JPEG or WebP picture',
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
					displayName: 'Background',
					name: 'background',
					description:
						'The color behind the page, as <code>#rrggbb</code>, or <code>transparent</code>, which JPEG shows as white',
					type: 'string',
					default: '#ffffff',
				},
				{
					displayName: 'DPI',
					name: 'dpi',
					description: 'Resolution in dots per inch. Ignored if <code>width</code> or <code>height</code> is given.',
					type: 'number',
					typeOptions: { minValue: 36, maxValue: 600, numberPrecision: 0 },
					default: 150,
				},
				{
					displayName: 'Format',
					name: 'format',
					description: 'The format of the images. PNG is exact; JPEG and WebP are smaller.',
					type: 'options',
					options: [
						{ name: 'PNG', value: 'png' },
						{ name: 'JPEG', value: 'jpeg' },
						{ name: 'WebP', value: 'webp' },
					],
					default: 'png',
				},
				{
					displayName: 'Grayscale',
					name: 'grayscale',
					type: 'boolean',
					default: false,
					description: 'Whether to use only shades of gray',
				},
				{
					displayName: 'Height',
					name: 'height',
					description:
						'Maximum height in pixels. Pages keep their proportions; with <code>width</code>, they fit into both.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 16383, numberPrecision: 0 },
					default: 1,
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'Pages to take, such as <code>1-3,8,z</code>: <code>z</code> is the last page, <code>r2</code> the one before it. All by default, and each once.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Quality',
					name: 'quality',
					description: 'Quality of JPEG and WebP images. PNG ignores it.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
					default: 85,
				},
				{
					displayName: 'Width',
					name: 'width',
					description:
						'Maximum width in pixels. Pages keep their proportions; with <code>height</code>, they fit into both.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 16383, numberPrecision: 0 },
					default: 1,
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['pdf-to-images'] } },
		},
	],
};
