import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { IWebhookFunctions } from 'n8n-workflow';
import { Webhook } from 'standardwebhooks';
import { DocmillTrigger } from '../dist/nodes/DocmillTrigger/DocmillTrigger.node.js';
import { FakeApi } from './fakes/api.mts';
import { hookFunctions, type HookSetting } from './fakes/n8n.mts';

const SECRET = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=';
const URL = 'https://n8n.example.com/webhook/1/webhook';
const { checkExists, create, delete: remove } = new DocmillTrigger().webhookMethods.default;

let api: FakeApi;
let setting: HookSetting;
beforeEach(async () => {
	api = await FakeApi.start();
	setting = { url: api.url, webhookUrl: URL, staticData: {}, fields: { events: ['job.completed'] } };
});
afterEach(() => api.stop());

test('an activated workflow has an endpoint, and a deactivated one has none', async () => {
	const hook = hookFunctions(setting);
	assert.equal(await checkExists.call(hook), false);
	await create.call(hook);
	const [created] = api.sent('POST /v1/webhooks');
	assert.deepEqual(created?.json, { url: URL, description: 'n8n: Invoices', events: ['job.completed'] });
	assert.equal(setting.staticData.secret, SECRET);
	assert.equal(await checkExists.call(hook), true);

	await remove.call(hook);
	assert.deepEqual(api.webhooks, []);
	assert.deepEqual(setting.staticData, {});
});

test('all events include those that may be added', async () => {
	await create.call(hookFunctions({ ...setting, fields: { events: ['*'] } }));
	assert.deepEqual(api.sent('POST /v1/webhooks')[0]?.json, { url: URL, description: 'n8n: Invoices' });
});

test('an endpoint of this trigger that is disabled or has an unknown secret is replaced, and others stay', async () => {
	const other = { id: 'wh_other', url: 'https://other.example.com', status: 'active' };
	const endpoint = { id: 'wh_1', url: URL, status: 'disabled' };
	for (const [kept, status] of [
		[{ webhookId: 'wh_1', secret: SECRET }, 'disabled'],
		[{}, 'active'],
	] as const) {
		api.webhooks = [other, { ...endpoint, status }];
		assert.equal(await checkExists.call(hookFunctions({ ...setting, staticData: { ...kept } })), false);
		assert.deepEqual(api.webhooks, [other]);
	}
});

test('an endpoint that is gone already can be deleted', async () => {
	setting.staticData = { webhookId: 'wh_gone', secret: SECRET };
	assert.equal(await remove.call(hookFunctions(setting)), true);
});

test('an endpoint is not created a second time if the first answer leaves open whether it was', async () => {
	const unknown = { status: 503, body: { error: { code: 'unavailable', message: 'Try again.' } } };
	api.script.push(['POST /v1/webhooks', unknown]);
	await assert.rejects(create.call(hookFunctions(setting)), /unavailable/);
	assert.equal(api.sent('POST /v1/webhooks').length, 1);
});

test('the error of the API is shown when a workflow is activated', async () => {
	await assert.rejects(create.call(hookFunctions({ ...setting, key: 'wrong' })), /invalid_api_key/);
});

const EVENT = JSON.stringify({
	type: 'job.completed',
	timestamp: '2026-11-25T10:00:00Z',
	data: { job: { id: 'job-1', name: 'Zoë' } },
});

/** An event as the service sends it, signed by the library of Standard Webhooks. */
function event(id: string, secret = SECRET, sentAt = new Date()) {
	const signature = new Webhook(secret).sign(id, sentAt, EVENT);
	return {
		'webhook-id': id,
		'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
		'webhook-signature': `v1a,c2lnbmVk ${signature}`,
	};
}

async function receive(headers: Record<string, string>, body = EVENT, staticData: object = { secret: SECRET }) {
	let status = 200;
	const response = { status: (given: number) => ((status = given), response), send: () => response };
	const functions = {
		getWorkflowStaticData: () => staticData,
		getRequestObject: () => ({ headers, rawBody: Buffer.from(body) }),
		getResponseObject: () => response,
		getBodyData: () => JSON.parse(body),
		helpers: { returnJsonArray: (json: object) => [{ json }] },
	} as unknown as IWebhookFunctions;
	return { answer: await new DocmillTrigger().webhook.call(functions), status };
}

test('a signed event starts the workflow', async () => {
	const { answer, status } = await receive(event('evt_1'));
	assert.equal(status, 200);
	assert.deepEqual(answer.workflowData, [[{ json: { eventId: 'evt_1', ...JSON.parse(EVENT) } }]]);
});

test('an event that arrives again starts nothing', async () => {
	const staticData = { secret: SECRET };
	await receive(event('evt_1'), EVENT, staticData);
	assert.deepEqual(await receive(event('evt_1'), EVENT, staticData), { answer: {}, status: 200 });
	assert.ok((await receive(event('evt_2'), EVENT, staticData)).answer.workflowData);
});

test('what is not signed with the secret, not lately, or was changed is refused', async () => {
	const hour = 3_600_000;
	const forged: [Record<string, string>, string?, object?][] = [
		[{}],
		[event('evt_1', 'whsec_b3RoZXItb3RoZXItb3RoZXI=')],
		[event('evt_1', SECRET, new Date(Date.now() - hour))],
		[event('evt_1', SECRET, new Date(Date.now() + hour))],
		[event('evt_1'), EVENT.replace('job-1', 'job-2')],
		[{ ...event('evt_1'), 'webhook-id': 'evt_2' }],
		[{ ...event('evt_1'), 'webhook-timestamp': 'now' }],
		[event('evt_1'), EVENT, {}],
	];
	for (const [headers, body, staticData] of forged) {
		assert.deepEqual(await receive(headers, body, staticData), { answer: { noWebhookResponse: true }, status: 401 });
	}
});
