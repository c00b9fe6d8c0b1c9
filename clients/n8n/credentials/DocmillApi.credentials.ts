import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

export class DocmillApi implements ICredentialType {
	name = 'docmillApi';

	displayName = 'Docmill API';

	icon = { light: 'file:../icons/docmill.svg', dark: 'file:../icons/docmill.dark.svg' } as const;

	documentationUrl = 'https://example.com/docs/n8n';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of your Docmill service, without <code>/v1</code>',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. dm_live_…',
			description: 'Create a key in the dashboard, under API keys. Jobs of test keys (dm_test_…) are free.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};

	test: ICredentialTestRequest = {
		request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/v1/account/usage' },
	};
}
