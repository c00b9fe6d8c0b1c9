// The endpoint that a trigger has at the service. Its secret is kept with the workflow's static data.

import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { call } from '../Docmill/api';
import { ALL } from './events';

export interface Kept extends IDataObject {
	webhookId?: string;
	secret?: string;
	/** The ids of the last events, since an event can arrive more than once. */
	seen?: string[];
}

interface Webhook {
	id: string;
	url?: string;
	status: string;
	events: string[];
}

/** Whether the endpoint is there and its secret is known. Endpoints of this trigger that are of no use are deleted. */
export async function exists(hook: IHookFunctions): Promise<boolean> {
	const kept: Kept = hook.getWorkflowStaticData('node');
	const { body } = await call(hook, { method: 'GET', path: '/v1/webhooks' });
	const own = (body.webhooks as unknown as Webhook[]).filter(
		(webhook) => webhook.url === hook.getNodeWebhookUrl('default'),
	);
	const usable = own.find((webhook) => webhook.id === kept.webhookId && kept.secret && webhook.status === 'active');
	for (const webhook of own) if (webhook !== usable) await removeById(hook, webhook.id);
	return usable !== undefined;
}

export async function create(hook: IHookFunctions): Promise<boolean> {
	const events = hook.getNodeParameter('events', []) as string[];
	const { body } = await call(hook, {
		method: 'POST',
		path: '/v1/webhooks',
		once: true,
		body: {
			url: hook.getNodeWebhookUrl('default'),
			description: `n8n: ${hook.getWorkflow().name ?? hook.getWorkflow().id ?? ''}`.slice(0, 255),
			...(events.includes(ALL) ? {} : { events }),
		},
	});
	const { id, secret } = body.webhook as { id: string; secret: string };
	Object.assign(hook.getWorkflowStaticData('node'), { webhookId: id, secret, seen: [] });
	return true;
}

export async function remove(hook: IHookFunctions): Promise<boolean> {
	const kept: Kept = hook.getWorkflowStaticData('node');
	if (kept.webhookId) await removeById(hook, kept.webhookId);
	for (const name of ['webhookId', 'secret', 'seen']) delete kept[name];
	return true;
}

async function removeById(hook: IHookFunctions, id: string): Promise<void> {
	await call(hook, { method: 'DELETE', path: `/v1/webhooks/${id}`, allowed: [404] });
}
