// Made from shared/tools/html-to-image.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const htmlToImage: Tool = {
	slug: 'html-to-image',
	name: 'HTML to image',
	description: 'Takes a picture of a web page or of inline HTML, in a real browser: PNG, JPEG or WebP',
	category: 'web',
	kinds: ['url', 'html', 'uploadId'],
	sourceProperties: [],
	most: 1,
	joins: false,
	shapes: { waitFor: 'form', waitForAll: 'forms', cookies: { rows: {} }, headers: 'names' },
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
					displayName: 'Cookies',
					name: 'cookies',
					description: 'Cookies for the host of <code>URL</code> only. Never logged, never shown.',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add entry',
					default: {},
					options: [
						{
							displayName: 'Entry',
							name: 'rows',
							values: [
								{ displayName: 'Name', name: 'name', description: "The cookie's name", type: 'string', default: '' },
								{
									displayName: 'Value',
									name: 'value',
									description: "The cookie's value: no blanks, quotation marks, commas, semicolons or backslashes",
									type: 'string',
									default: '',
								},
								{
									displayName: 'Path',
									name: 'path',
									description: 'A path that begins with a slash, <code>/</code> by default',
									type: 'string',
									default: '',
								},
							],
						},
					],
				},
				{
					displayName: 'Device Scale',
					name: 'deviceScale',
					description: 'Pixels of the picture for each CSS pixel: 2 for a sharp screen',
					type: 'number',
					typeOptions: { minValue: 0.25, maxValue: 4, numberPrecision: 2 },
					default: 1,
				},
				{
					displayName: 'Emulate',
					name: 'emulate',
					description: 'Preferences of the reader to emulate: <code>dark</code> colors, <code>reducedMotion</code>',
					type: 'multiOptions',
					options: [
						{ name: 'Dark', value: 'dark' },
						{ name: 'Reduced Motion', value: 'reducedMotion' },
					],
					default: [],
				},
				{
					displayName: 'Fail on Console',
					name: 'failOnConsole',
					type: 'boolean',
					default: false,
					description:
						"Whether to fail the job if the page's scripts throw an uncaught error, or write an error to the console",
				},
				{
					displayName: 'Fail on Resource Errors',
					name: 'failOnResourceErrors',
					type: 'boolean',
					default: false,
					description:
						"Whether to fail the job if anything that the page requests can't be loaded, instead of a warning",
				},
				{
					displayName: 'Fail on Status',
					name: 'failOnStatus',
					type: 'boolean',
					default: true,
					description:
						'Whether to fail the job if the page answers with an error (HTTP status 400 and above). If false, the error page is converted.',
				},
				{
					displayName: 'Format',
					name: 'format',
					description: 'Format of the picture. <code>webp</code> allows at most 16,383 pixels on a side.',
					type: 'options',
					options: [
						{ name: 'PNG', value: 'png' },
						{ name: 'JPEG', value: 'jpeg' },
						{ name: 'WebP', value: 'webp' },
					],
					default: 'png',
				},
				{
					displayName: 'Full Page',
					name: 'fullPage',
					type: 'boolean',
					default: false,
					description: 'Whether to capture the whole page instead of the window only',
				},
				{
					displayName: 'Headers',
					name: 'headers',
					description:
						'Headers for the origin of <code>URL</code> only (scheme, host and port), such as <code>Authorization</code>; not for others, not even after redirects. Never logged, never shown.',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add entry',
					default: {},
					options: [
						{
							displayName: 'Entry',
							name: 'entries',
							values: [
								{ displayName: 'Name', name: 'name', type: 'string', default: '' },
								{ displayName: 'Value', name: 'value', type: 'string', default: '' },
							],
						},
					],
				},
				{
					displayName: 'Height',
					name: 'height',
					description: 'Height of the window, in CSS pixels',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 8192, numberPrecision: 0 },
					default: 800,
				},
				{
					displayName: 'Media',
					name: 'media',
					description: 'The CSS media type that the page is rendered for',
					type: 'options',
					options: [
						{ name: 'Print', value: 'print' },
						{ name: 'Screen', value: 'screen' },
					],
					default: 'screen',
				},
				{
					displayName: 'Quality',
					name: 'quality',
					description: 'Quality of <code>jpeg</code> and <code>webp</code>',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
					default: 85,
				},
				{
					displayName: 'Selector',
					name: 'selector',
					description: 'Captures only the first element that this CSS selector matches',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Transparent Background',
					name: 'omitBackground',
					type: 'boolean',
					default: false,
					description:
						'Whether to keep the background transparent where the page has none (<code>png</code>, <code>webp</code>)',
				},
				{
					displayName: 'User Agent',
					name: 'userAgent',
					description: "The browser's name that sites see",
					type: 'string',
					default: '',
				},
				{
					displayName: 'Wait for',
					name: 'waitFor',
					description: 'What to wait for before the picture is taken, for at most 30 seconds',
					type: 'fixedCollection',
					placeholder: 'Add condition',
					default: {},
					options: [
						{
							displayName: 'Event',
							name: 'event',
							values: [
								{
									displayName: 'Event',
									name: 'event',
									type: 'options',
									options: [
										{ name: 'Load', value: 'load' },
										{ name: 'Network Idle', value: 'networkIdle' },
									],
									default: 'load',
								},
							],
						},
						{
							displayName: 'Selector',
							name: 'selector',
							values: [{ displayName: 'Selector', name: 'selector', type: 'string', default: '' }],
						},
						{
							displayName: 'Expression',
							name: 'expression',
							values: [{ displayName: 'Expression', name: 'expression', type: 'string', default: '' }],
						},
						{
							displayName: 'Delay Ms',
							name: 'delayMs',
							values: [
								{
									displayName: 'Delay Ms',
									name: 'delayMs',
									type: 'number',
									typeOptions: { minValue: 0, maxValue: 30000, numberPrecision: 0 },
									default: 0,
								},
							],
						},
					],
				},
				{
					displayName: 'Wait for All',
					name: 'waitForAll',
					description: 'Several conditions instead of <code>waitFor</code>. All must be met, each within 30 seconds.',
					type: 'fixedCollection',
					typeOptions: { multipleValues: true },
					placeholder: 'Add condition',
					default: {},
					options: [
						{
							displayName: 'Event',
							name: 'event',
							values: [
								{
									displayName: 'Event',
									name: 'event',
									type: 'options',
									options: [
										{ name: 'Load', value: 'load' },
										{ name: 'Network Idle', value: 'networkIdle' },
									],
									default: 'load',
								},
							],
						},
						{
							displayName: 'Selector',
							name: 'selector',
							values: [{ displayName: 'Selector', name: 'selector', type: 'string', default: '' }],
						},
						{
							displayName: 'Expression',
							name: 'expression',
							values: [{ displayName: 'Expression', name: 'expression', type: 'string', default: '' }],
						},
						{
							displayName: 'Delay Ms',
							name: 'delayMs',
							values: [
								{
									displayName: 'Delay Ms',
									name: 'delayMs',
									type: 'number',
									typeOptions: { minValue: 0, maxValue: 30000, numberPrecision: 0 },
									default: 0,
								},
							],
						},
					],
				},
				{
					displayName: 'Width',
					name: 'width',
					description: 'Width of the window, in CSS pixels',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 8192, numberPrecision: 0 },
					default: 1280,
				},
			],
			displayOptions: { show: { resource: ['web'], operation: ['html-to-image'] } },
		},
	],
};
