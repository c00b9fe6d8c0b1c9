// What a retry pays for. n8n retries an execution under a new id, with the same data and the node's context.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { FakeApi } from './fakes/api.mts';
import { execute, type Setting } from './fakes/n8n.mts';

let api: FakeApi;
beforeEach(async () => {
	api = await FakeApi.start();
});
afterEach(() => api.stop());

const WORD = { content: 'PK-word', fileName: 'report.docx' };

function setting(): Setting {
	const fields = { resource: 'office', operation: 'office-to-pdf' };
	return { url: api.url, fields, items: [{ files: { data: WORD } }, { files: { data: WORD } }], context: {} };
}

function keys(): unknown[] {
	return api.sent('POST /v1/tools').map((request) => request.headers['idempotency-key']);
}

test('a retry after an error of a later item creates no job a second time', async () => {
	const first = setting();
	api.script.push(['GET /storage/file-0', { status: 200 }], ['GET /storage/file-0', { status: 500 }]);
	await assert.rejects(execute(first), /download_failed/);
	const outputs = await execute({ ...first, executionId: '232' });
	assert.equal(outputs.length, 2);
	assert.equal(api.created, 2);
	assert.equal(api.uploads.size, 2);
});

test('a retry after a lost answer sends the same request with the same key', async () => {
	const first = { ...setting(), items: [{ files: { data: WORD } }] };
	const refused = { status: 401, body: { error: { code: 'invalid_api_key', message: 'The key is unknown.' } } };
	api.script.push(['POST /v1/tools', { status: 202, lose: true }], ['POST /v1/tools', refused]);
	await assert.rejects(execute(first), /invalid_api_key/);
	await execute({ ...first, executionId: '232' });
	assert.equal(api.created, 1);
	assert.equal(keys().length, 3);
	assert.equal(new Set(keys()).size, 1);
	assert.equal(api.uploads.size, 1);
});

test('a retry finds the job of a file that n8n has moved meanwhile', async () => {
	const first = { ...setting(), items: [{ files: { data: WORD } }], streams: true };
	await execute(first);
	await execute({ ...first, executionId: '232', folder: 'executions/231' });
	assert.equal(api.created, 1);
	assert.equal(api.uploads.size, 1);
});

test('another execution creates jobs of its own', async () => {
	await execute(setting());
	await execute({ ...setting(), executionId: '232' });
	assert.equal(api.created, 4);
	assert.equal(new Set(keys()).size, 4);
});

test('a node in a loop creates jobs of its own in each round', async () => {
	const first = setting();
	await execute(first);
	await execute({ ...first, runIndex: 1 });
	assert.equal(api.created, 4);
});

test('a job that failed is tried again by a retry, since it was refunded', async () => {
	const first = { ...setting(), items: [{ files: { data: WORD } }] };
	api.outcomes.push({ code: 'source_timeout', message: 'Try again.' });
	await assert.rejects(execute(first), /source_timeout/);
	const [output] = await execute({ ...first, executionId: '232' });
	assert.equal(output?.json.status, 'completed');
	assert.equal(new Set(keys()).size, 2);
});

test('a retry with another option or another file is another job', async () => {
	const first = { ...setting(), items: [{ files: { data: WORD } }] };
	await execute(first);
	await execute({ ...first, executionId: '232', fields: { ...first.fields, options: { pageRange: '1' } } });
	await execute({ ...first, executionId: '233', items: [{ files: { data: { ...WORD, content: 'PK-other' } } }] });
	assert.equal(api.created, 3);
	assert.equal(new Set(keys()).size, 3);
});
