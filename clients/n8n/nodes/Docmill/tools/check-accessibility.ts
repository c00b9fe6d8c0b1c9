// Made from shared/tools/check-accessibility.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const checkAccessibility: Tool = {
	slug: 'check-accessibility',
	name: 'Check accessibility',
	description: 'Checks a PDF by the rules of PDF/UA-1, and lists what only people can judge',
	category: 'inspect',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: {},
	ownFields: [],
	fields: [],
};
