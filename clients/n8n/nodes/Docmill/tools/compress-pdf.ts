// Made from shared/tools/compress-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const compressPdf: Tool = {
	slug: 'compress-pdf',
	name: 'Compress PDF',
	description: 'Makes a PDF smaller, and checks page by page that it looks and reads the same',
	category: 'optimize',
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
					displayName: 'Colors',
					name: 'colors',
					description:
						'The colors of images. <code>keep</code>: images for print (CMYK, Lab, spot colors) stay; <code>rgb</code>: they become RGB, as a viewer shows them; <code>gray</code>: all images become gray. Text and lines keep their colors.',
					type: 'options',
					options: [
						{ name: 'Keep', value: 'keep', description: 'Images for print (CMYK, Lab, spot colors) stay' },
						{ name: 'Rgb', value: 'rgb', description: 'They become RGB, as a viewer shows them' },
						{ name: 'Gray', value: 'gray', description: 'All images become gray. Text and lines keep their colors.' },
					],
					default: 'keep',
				},
				{
					displayName: 'Image Quality',
					name: 'imageQuality',
					description: 'Quality of images that are written as JPEG. If left out, the preset decides.',
					type: 'number',
					typeOptions: { minValue: 20, maxValue: 100, numberPrecision: 0 },
					default: 20,
				},
				{
					displayName: 'Linearize',
					name: 'linearize',
					type: 'boolean',
					default: false,
					description: 'Whether to order the file so that viewers can show its first page before the rest has loaded',
				},
				{
					displayName: 'Max Image DPI',
					name: 'maxImageDpi',
					description:
						'Images with a higher resolution on the page are reduced to this one. If left out, the preset decides.',
					type: 'number',
					typeOptions: { minValue: 36, maxValue: 1200, numberPrecision: 0 },
					default: 36,
				},
				{
					displayName: 'Preset',
					name: 'preset',
					description:
						'How much may be lost. <code>lossless</code>: nothing; <code>high</code>: images have at most 220 dpi, for printing; <code>balanced</code>: at most 150 dpi, for screens; <code>small</code>: at most 96 dpi. All but <code>lossless</code> reduce embedded fonts to the characters that the document shows.',
					type: 'options',
					options: [
						{ name: 'Lossless', value: 'lossless', description: 'Nothing' },
						{ name: 'High', value: 'high', description: 'Images have at most 220 dpi, for printing' },
						{ name: 'Balanced', value: 'balanced', description: 'At most 150 dpi, for screens' },
						{
							name: 'Small',
							value: 'small',
							description:
								'At most 96 dpi. All but <code>lossless</code> reduce embedded fonts to the characters that the document shows.',
						},
					],
					default: 'balanced',
				},
				{
					displayName: 'Remove Metadata',
					name: 'removeMetadata',
					type: 'boolean',
					default: false,
					description: 'Whether to remove title, author and all other properties of the document',
				},
				{
					displayName: 'Target Bytes',
					name: 'targetBytes',
					description:
						"The size to aim for, in bytes. The smallest change that reaches it is made, down to 72 dpi. If that isn't enough, the job warns (<code>target_missed</code>). Not with <code>preset</code>, <code>maxImageDpi</code> and <code>imageQuality</code>.",
					type: 'number',
					typeOptions: { minValue: 1024, numberPrecision: 0 },
					default: 1024,
				},
			],
			displayOptions: { show: { resource: ['optimize'], operation: ['compress-pdf'] } },
		},
	],
};
