// Made from shared/tools/unlock-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const unlockPdf: Tool = {
	slug: 'unlock-pdf',
	name: 'Unlock PDF',
	description: 'Removes the encryption of a PDF whose password you know',
	category: 'security',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: {},
	ownFields: ['password'],
	fields: [
		{
			displayName: 'Password',
			name: 'password',
			description:
				"The user's or the owner's password. Not needed if the document only has restrictions. You can also give it as the source's <code>password</code>.",
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { resource: ['security'], operation: ['unlock-pdf'] } },
		},
	],
};
