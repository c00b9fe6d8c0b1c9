import type { INodeProperties } from 'n8n-workflow';

export const ALL = '*';

/** The choice of events, for both triggers. */
export const eventsField: INodeProperties = {
	displayName: 'Events',
	name: 'events',
	type: 'multiOptions',
	required: true,
	options: [
		{ name: 'All', value: ALL, description: 'Every event, also of types that may be added' },
		{ name: 'API Key Revoked', value: 'api_key.revoked' },
		{ name: 'Batch Canceled', value: 'batch.canceled' },
		{ name: 'Batch Completed', value: 'batch.completed' },
		{
			name: 'Batch Paused',
			value: 'batch.paused',
			description: 'No more jobs of a batch are created, for example because credits ran out',
		},
		{
			name: 'Credits Exhausted',
			value: 'quota.exhausted',
			description: 'A job was refused because too few credits were left',
		},
		{
			name: 'Credits Running Low',
			value: 'quota.warning',
			description: "80% of the month's included credits are used",
		},
		{ name: 'Job Canceled', value: 'job.canceled' },
		{ name: 'Job Completed', value: 'job.completed' },
		{ name: 'Job Failed', value: 'job.failed' },
		{
			name: 'Webhook Disabled',
			value: 'webhook.disabled',
			description: 'An endpoint gets no events any more, because it failed',
		},
	],
	default: ['job.completed', 'job.failed'],
};
