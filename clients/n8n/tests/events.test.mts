import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { IPollFunctions } from 'n8n-workflow';
import { DocmillEventsTrigger } from '../dist/nodes/DocmillEventsTrigger/DocmillEventsTrigger.node.js';
import { FakeApi } from './fakes/api.mts';
import { hookFunctions } from './fakes/n8n.mts';

let api: FakeApi;
beforeEach(async () => {
	api = await FakeApi.start();
});
afterEach(() => api.stop());

function happen(...types: string[]): void {
	for (const type of types) api.events.push({ id: `evt_${api.events.length}`, type });
}

/** The events that a poll gives to the workflow. */
async function poll(
	staticData: Record<string, any>,
	{ events = ['job.completed'], mode = 'trigger', key = 'dm_test_key' } = {},
) {
	const functions = {
		...hookFunctions({ url: api.url, key, staticData, webhookUrl: '', fields: { events } }),
		getMode: () => mode,
	} as unknown as IPollFunctions;
	Object.assign(functions.helpers, { returnJsonArray: (list: object[]) => list.map((json) => ({ json })) });
	const output = await new DocmillEventsTrigger().poll.call(functions);
	return output?.[0]?.map((item) => item.json);
}

test('the first poll finds the end of the list, and later ones give each new event once', async () => {
	const staticData = {};
	happen('job.completed', 'job.completed', 'job.completed');
	assert.equal(await poll(staticData), undefined);
	assert.equal(api.sent('GET /v1/events').length, 2);

	happen('job.completed', 'job.failed', 'job.completed');
	assert.deepEqual(await poll(staticData), [
		{ eventId: 'evt_3', type: 'job.completed' },
		{ eventId: 'evt_5', type: 'job.completed' },
	]);
	assert.equal(await poll(staticData), undefined);
});

test('the first event of an account is not missed', async () => {
	const staticData = {};
	assert.equal(await poll(staticData), undefined);
	happen('job.completed');
	assert.deepEqual(await poll(staticData), [{ eventId: 'evt_0', type: 'job.completed' }]);
});

test('all events include types that are not known yet', async () => {
	const staticData = { started: true };
	happen('job.archived');
	assert.equal((await poll(staticData, { events: ['*'] }))?.length, 1);
});

test('a poll ends after ten pages, and the next one goes on', async () => {
	const staticData = { started: true };
	happen(...Array<string>(25).fill('job.completed'));
	assert.equal((await poll(staticData))?.length, 20);
	assert.equal((await poll(staticData))?.length, 5);
});

test('a try in the editor shows the last events, and leaves the position as it is', async () => {
	const staticData = {};
	happen(...Array<string>(8).fill('job.completed'));
	const samples = await poll(staticData, { mode: 'manual' });
	assert.deepEqual(
		samples?.map((event) => event.eventId),
		['evt_3', 'evt_4', 'evt_5', 'evt_6', 'evt_7'],
	);
	assert.deepEqual(staticData, {});
});

test('the error of the API is shown', async () => {
	await assert.rejects(poll({}, { key: 'wrong' }), /invalid_api_key/);
});
