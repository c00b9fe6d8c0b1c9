// Made from shared/tools/protect-pdf.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const protectPdf: Tool = {
	slug: 'protect-pdf',
	name: 'Protect PDF',
	description: 'Encrypts a PDF with AES-256 and sets what readers may do',
	category: 'security',
	kinds: ['sourceUrl', 'uploadId', 'jobId'],
	sourceProperties: ['filename', 'password', 'headers'],
	most: 1,
	joins: false,
	shapes: { permissions: { object: {} } },
	ownFields: ['userPassword', 'ownerPassword'],
	fields: [
		{
			displayName: 'User Password',
			name: 'userPassword',
			description:
				'The password that opens the document. Without it, anyone can open the document, and only <code>permissions</code> apply.',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { resource: ['security'], operation: ['protect-pdf'] } },
		},
		{
			displayName: 'Owner Password',
			name: 'ownerPassword',
			description:
				'The password that lifts the restrictions of <code>permissions</code>. Required if anything is not permitted, and must differ from <code>userPassword</code>.',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { resource: ['security'], operation: ['protect-pdf'] } },
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [
				{
					displayName: 'Permissions',
					name: 'permissions',
					description:
						"What a reader without the owner's password may do. PDF programs are expected to obey this; the encryption does not enforce it.",
					type: 'collection',
					placeholder: 'Add option',
					default: {},
					options: [
						{
							displayName: 'Annotate',
							name: 'annotate',
							type: 'boolean',
							default: true,
							description: 'Whether adding and changing comments is allowed',
						},
						{
							displayName: 'Assemble',
							name: 'assemble',
							type: 'boolean',
							default: true,
							description: 'Whether inserting, deleting and turning pages is allowed',
						},
						{
							displayName: 'Copy',
							name: 'copy',
							type: 'boolean',
							default: true,
							description: 'Whether copying text and pictures is allowed. Screen readers are always allowed to.',
						},
						{
							displayName: 'Forms',
							name: 'forms',
							type: 'boolean',
							default: true,
							description: 'Whether filling in form fields is allowed',
						},
						{
							displayName: 'Modify',
							name: 'modify',
							type: 'boolean',
							default: true,
							description: 'Whether changing the content is allowed',
						},
						{
							displayName: 'Print',
							name: 'print',
							type: 'boolean',
							default: true,
							description: 'Whether printing is allowed',
						},
					],
				},
			],
			displayOptions: { show: { resource: ['security'], operation: ['protect-pdf'] } },
		},
	],
};
