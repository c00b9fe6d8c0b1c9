// Made from shared/tools/organize-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const organizePdf: Tool = {
	slug: 'organize-pdf',
	name: 'Organize PDF pages',
	description: 'Selects, deletes, reorders, repeats, rotates and crops pages, or puts several on a sheet',
	category: 'organize',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: { rotate: { rows: {} }, crop: { object: {} } },
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
					displayName: 'Booklet',
					name: 'booklet',
					type: 'boolean',
					default: false,
					description:
						'Whether to put two pages on each side of a sheet, in the order for a booklet that is printed on both sides and folded in the middle. Not together with <code>nUp</code>.',
				},
				{
					displayName: 'Crop',
					name: 'crop',
					description:
						'How much to cut off each edge, in points (1/72 inch), as a viewer shows the page. The cut-off area is hidden, not removed from the file.',
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{
							displayName: 'Bottom',
							name: 'bottom',
							description: 'Points to cut off the bottom edge',
							type: 'number',
							typeOptions: { minValue: 0, maxValue: 14400, numberPrecision: 2 },
							default: 0,
						},
						{
							displayName: 'Left',
							name: 'left',
							description: 'Points to cut off the left edge',
							type: 'number',
							typeOptions: { minValue: 0, maxValue: 14400, numberPrecision: 2 },
							default: 0,
						},
						{
							displayName: 'Pages',
							name: 'pages',
							description: 'Which pages of the result to crop, as in the option <code>pages</code>. All by default.',
							type: 'string',
							default: '',
						},
						{
							displayName: 'Right',
							name: 'right',
							description: 'Points to cut off the right edge',
							type: 'number',
							typeOptions: { minValue: 0, maxValue: 14400, numberPrecision: 2 },
							default: 0,
						},
						{
							displayName: 'Top',
							name: 'top',
							description: 'Points to cut off the top edge',
							type: 'number',
							typeOptions: { minValue: 0, maxValue: 14400, numberPrecision: 2 },
							default: 0,
						},
					],
				},
				{
					displayName: 'Pages',
					name: 'pages',
					description:
						'The pages of the result, in order: leave pages out to delete them, or repeat them. Pages and ranges, such as <code>1-3,8,z-6</code>; <code>z</code> is the last page, <code>r2</code> the one before it, and a range may run backwards. All by default.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Pages per Sheet',
					name: 'nUp',
					description:
						'How many pages to put on each sheet, in reading order. Links, bookmarks and tags lead to the sheet.',
					type: 'options',
					options: [
						{ name: '2', value: 2 },
						{ name: '4', value: 4 },
						{ name: '9', value: 9 },
					],
					default: 2,
				},
				{
					displayName: 'Rotate',
					name: 'rotate',
					description: 'Pages to turn. Several entries for the same page add up.',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add entry',
					default: {},
					options: [
						{
							displayName: 'Entry',
							name: 'rows',
							values: [
								{
									displayName: 'Pages',
									name: 'pages',
									description:
										'Which pages of the result to turn, as in the option <code>pages</code>. All by default.',
									type: 'string',
									default: '',
								},
								{
									displayName: 'Degrees',
									name: 'degrees',
									description: 'How far to turn them, clockwise',
									type: 'options',
									options: [
										{ name: '-180', value: -180 },
										{ name: '-270', value: -270 },
										{ name: '-90', value: -90 },
										{ name: '180', value: 180 },
										{ name: '270', value: 270 },
										{ name: '90', value: 90 },
									],
									default: -180,
								},
							],
						},
					],
				},
			],
			displayOptions: { show: { resource: ['organize'], operation: ['organize-pdf'] } },
		},
	],
};
