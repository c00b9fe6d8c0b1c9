// The nodes against a running service: `make test-n8n-journey` starts a local one.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { IWebhookFunctions } from 'n8n-workflow';
import { DocmillTrigger } from '../dist/nodes/DocmillTrigger/DocmillTrigger.node.js';
import { execute, hookFunctions, type Setting } from './fakes/n8n.mts';

const { DOCMILL_URL: url = '', DOCMILL_LIVE_KEY: key = '' } = process.env;

const PAGE = { content: '<h1>Invoice</h1>', fileName: 'invoice.html', mimeType: 'text/html' };
const executionId = String(Date.now());

test('files of two items become PDFs, which are merged, and a retry pays nothing', async () => {
	const fields = { resource: 'web', operation: 'html-to-pdf', options: { renderMode: 'basic' } };
	const setting: Setting = {
		url,
		key,
		executionId,
		fields,
		context: {},
		items: [{ files: { data: PAGE } }, { files: { data: PAGE } }],
	};
	const pages = await execute(setting);
	for (const page of pages) assert.match(page.binary?.data?.content ?? '', /^%PDF-/);

	const retried = await execute({ ...setting, executionId: `${executionId}-retry` });
	assert.deepEqual(
		retried.map((page) => page.json.id),
		pages.map((page) => page.json.id),
	);

	const items = pages.map((page) => ({ fields: { sourceJobId: page.json.id } }));
	const merge = { resource: 'organize', operation: 'merge-pdf', source: 'jobId' };
	const [merged] = await execute({ url, key, executionId, fields: merge, items });
	assert.equal(merged?.json.output.pages, 2);
	assert.match(merged?.binary?.data?.content ?? '', /^%PDF-/);
});

test('a job can be canceled, read and deleted', async () => {
	const late = { renderMode: 'browser', waitFor: { delayMs: { delayMs: 20_000 } } };
	const page = {
		resource: 'web',
		operation: 'html-to-pdf',
		source: 'html',
		html: '<p>Late',
		options: late,
		wait: false,
	};
	const [created] = await execute({ url, key, executionId: `${executionId}-job`, fields: page });
	const job = (operation: string) =>
		execute({ url, key, executionId, fields: { resource: 'job', operation, jobId: created?.json.id } });
	assert.equal((await job('cancel'))[0]?.json.status, 'canceled');
	assert.equal((await job('get'))[0]?.json.status, 'canceled');
	assert.equal((await job('delete'))[0]?.json.deleted, true);
	await assert.rejects(job('result'), /job_deleted/);
});

test('a request that the service refuses says why', async () => {
	const fields = {
		resource: 'web',
		operation: 'html-to-pdf',
		source: 'html',
		html: '<p>',
		options: { pageRange: 'x' },
	};
	const error = await execute({ url, key, executionId, fields }).catch(
		(error: unknown) => error as Error & { description: string },
	);
	assert.match((error as Error).message, /validation_failed/);
	assert.match((error as { description: string }).description, /^\/options\/pageRange: .*\nRequest ID: \S+$/);
});

test('the trigger gets a signed event of a job, and its endpoint is deleted', async () => {
	const trigger = new DocmillTrigger();
	const { checkExists, create, delete: remove } = trigger.webhookMethods.default;
	const received = Promise.withResolvers<any>();
	const staticData: Record<string, any> = {};
	const server = createServer(async (request, response) => {
		const body = await text(request);
		const functions = {
			getWorkflowStaticData: () => staticData,
			getRequestObject: () => ({ headers: request.headers, rawBody: Buffer.from(body) }),
			getResponseObject: () => ({ status: () => ({ send: () => undefined }) }),
			getBodyData: () => JSON.parse(body),
			helpers: { returnJsonArray: (json: object) => [{ json }] },
		} as unknown as IWebhookFunctions;
		received.resolve(await trigger.webhook.call(functions));
		response.writeHead(200).end();
	});
	server.listen(0);
	await once(server, 'listening');
	const webhookUrl = `http://localhost:${(server.address() as AddressInfo).port}/docmill`;
	const hook = hookFunctions({ url, key, webhookUrl, staticData, fields: { events: ['job.completed'] } });
	try {
		assert.equal(await checkExists.call(hook), false);
		await create.call(hook);
		assert.equal(await checkExists.call(hook), true);
		const fields = {
			resource: 'web',
			operation: 'html-to-pdf',
			source: 'html',
			html: '<p>Hello',
			options: { renderMode: 'basic' },
		};
		const [page] = await execute({ url, key, executionId: `${executionId}-trigger`, fields });
		const { workflowData } = await received.promise;
		assert.equal(workflowData[0][0].json.type, 'job.completed');
		assert.equal(workflowData[0][0].json.data.job.id, page?.json.id);
	} finally {
		await remove.call(hook);
		server.close();
	}
	assert.equal(await checkExists.call(hook), false);
});
