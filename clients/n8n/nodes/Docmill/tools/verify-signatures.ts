// Made from shared/tools/verify-signatures.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const verifySignatures: Tool = {
	slug: 'verify-signatures',
	name: 'Verify signatures',
	description: 'Checks who signed a PDF, whether it was changed afterwards, and whether that was allowed',
	category: 'inspect',
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
					displayName: 'Trusted Roots',
					name: 'trustedRoots',
					description:
						'The certificates of authorities that you trust, as PEM. Without them, no signature passes: the result is <code>INDETERMINATE</code>, and says whether the document is unchanged.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Time',
					name: 'time',
					description:
						'The time to check certificates for, such as <code>2026-11-28T12:00:00Z</code>; now, unless set. A time stamp of the signature that can be trusted comes first.',
					type: 'string',
					default: '',
				},
				{
					displayName: 'Check Revocation',
					name: 'checkRevocation',
					type: 'boolean',
					default: false,
					description:
						'Whether certificates must not be revoked, by the lists and answers in the file. Nothing is fetched.',
				},
			],
			displayOptions: { show: { resource: ['inspect'], operation: ['verify-signatures'] } },
		},
	],
};
