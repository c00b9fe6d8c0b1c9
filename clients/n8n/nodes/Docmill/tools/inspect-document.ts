// Made from shared/tools/inspect-document.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const inspectDocument: Tool = {
	slug: 'inspect-document',
	name: 'Inspect document',
	description:
		'Reports the format, pages, fonts, pictures, encryption, signatures, forms and metadata of a PDF or a picture',
	category: 'inspect',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: {},
	ownFields: [],
	fields: [],
};
