// Made from shared/tools/thumbnail.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const thumbnail: Tool = {
	slug: 'thumbnail',
	name: 'Thumbnail',
	description: 'Draws one page of a PDF, office file, page or picture as a small picture',
	category: 'convert',
	kinds: ['sourceUrl', 'url', 'uploadId', 'jobId', 'html', 'markdown'],
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
					description: 'The format of the thumbnail',
					type: 'options',
					options: [
						{ name: 'PNG', value: 'png' },
						{ name: 'JPEG', value: 'jpeg' },
						{ name: 'WebP', value: 'webp' },
					],
					default: 'png',
				},
				{
					displayName: 'Height',
					name: 'height',
					description: 'Height in pixels',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 2048, numberPrecision: 0 },
					default: 320,
				},
				{
					displayName: 'Page',
					name: 'page',
					description: 'The page to show, counted from 1',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100000, numberPrecision: 0 },
					default: 1,
				},
				{
					displayName: 'Quality',
					name: 'quality',
					description: 'Quality of JPEG and WebP. PNG ignores it.',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
					default: 80,
				},
				{
					displayName: 'Tornedalen Finnish',
					name: 'fit',
					description:
						'<code>contain</code>: the whole page fits into width and height. <code>cover</code>: the page fills both, and the rest is cut off.',
					type: 'options',
					options: [
						{ name: 'Contain', value: 'contain', description: 'The whole page fits into width and height' },
						{ name: 'Cover', value: 'cover', description: 'The page fills both, and the rest is cut off' },
					],
					default: 'contain',
				},
				{
					displayName: 'Width',
					name: 'width',
					description: 'Width in pixels',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 2048, numberPrecision: 0 },
					default: 320,
				},
			],
			displayOptions: { show: { resource: ['convert'], operation: ['thumbnail'] } },
		},
	],
};
