import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { NodeApiError as ApiError, NodeOperationError as OperationError } from 'n8n-workflow';
import { createRequire } from 'node:module';
import { FakeApi } from './fakes/api.mts';
import { execute, type Setting } from './fakes/n8n.mts';

// Its ES modules can't be loaded by Node, and the nodes use the others anyway.
const { NodeApiError, NodeOperationError } = createRequire(import.meta.url)('n8n-workflow') as {
	NodeApiError: typeof ApiError;
	NodeOperationError: typeof OperationError;
};

let api: FakeApi;
beforeEach(async () => {
	api = await FakeApi.start();
});
afterEach(() => api.stop());

const OFFICE = { resource: 'office', operation: 'office-to-pdf' };
const MERGE = { resource: 'organize', operation: 'merge-pdf' };
const WORD = { content: 'PK-word', fileName: 'report.docx', mimeType: 'application/vnd.openxmlformats' };

function run(setting: Omit<Setting, 'url'>) {
	return execute({ url: api.url, ...setting });
}

test('a file of an item is uploaded, converted, and comes back as binary data', async () => {
	const [output] = await run({ fields: OFFICE, items: [{ files: { data: WORD } }] });

	const [announced] = api.sent('POST /v1/uploads');
	assert.deepEqual(announced?.json, { contentType: WORD.mimeType, bytes: 7, filename: 'report.docx' });
	const [[uploadId, content] = []] = api.uploads;
	assert.equal(content?.toString(), 'PK-word');
	const [put] = api.sent('PUT /storage');
	assert.equal(put?.headers['x-amz-signed'], 'yes');
	assert.equal(put?.headers['content-length'], '7');
	const [created] = api.sent('POST /v1/tools/office-to-pdf/jobs');
	assert.deepEqual(created?.json, { input: { uploadId }, options: {} });
	assert.match(String(created?.headers['idempotency-key']), /^n8n-[0-9a-f]{64}$/);
	assert.equal(output?.json.status, 'completed');
	assert.deepEqual(output?.binary, {
		data: { content: '%PDF-result', fileName: 'result.pdf', mimeType: 'application/pdf' },
	});
	assert.deepEqual(output?.pairedItem, [{ item: 0 }]);
	assert.doesNotMatch(JSON.stringify(output?.json), /storage/, 'no signed link in the output');
});

test('a file that n8n keeps elsewhere is sent as a stream of the announced size', async () => {
	await run({ fields: OFFICE, items: [{ files: { data: WORD } }], streams: true });
	assert.equal(api.sent('POST /v1/uploads')[0]?.json.bytes, 7);
	assert.deepEqual([...api.uploads.values()].map(String), ['PK-word']);
});

test('each item becomes a job, and all are created before the first is waited for', async () => {
	const items = ['a', 'b', 'c'].map((name) => ({ fields: { sourceUrl: `https://files.example.com/${name}.docx` } }));
	const outputs = await run({ fields: { ...OFFICE, source: 'sourceUrl' }, items });

	const sources = api.sent('POST /v1/tools').map((request) => request.json.input.sourceUrl);
	assert.deepEqual(
		sources,
		items.map((item) => item.fields.sourceUrl),
	);
	const order = api.requests.map((request) => request.method);
	assert.ok(order.lastIndexOf('POST') < order.indexOf('GET'));
	assert.deepEqual(
		outputs.map((output) => output.pairedItem),
		[[{ item: 0 }], [{ item: 1 }], [{ item: 2 }]],
	);
	assert.equal(new Set(api.sent('POST /v1/tools').map((request) => request.headers['idempotency-key'])).size, 3);
});

test('the sources of all items are merged into one job, in their order', async () => {
	const items = [
		{ fields: { source: 'html', html: '<h1>Cover</h1>', sourceOptions: { title: 'Cover' } } },
		{
			fields: {
				source: 'uploadId',
				furtherSources: { rows: [{ kind: 'jobId', value: 'job-9', output: 2, filename: '' }] },
			},
			files: { data: WORD },
		},
	];
	const outputs = await run({ fields: { ...MERGE, options: { bookmarks: 'titles' } }, items });

	const [created, ...others] = api.sent('POST /v1/tools/merge-pdf/jobs');
	assert.equal(others.length, 0);
	const [uploadId] = [...api.uploads.keys()];
	assert.deepEqual(created?.json, {
		input: { sources: [{ html: '<h1>Cover</h1>', title: 'Cover' }, { uploadId }, { jobId: 'job-9', output: 2 }] },
		options: { bookmarks: 'titles' },
	});
	assert.deepEqual(
		outputs.map((output) => output.pairedItem),
		[[{ item: 0 }, { item: 1 }]],
	);
});

test('the sources of each item are merged into a job of its own, if asked for', async () => {
	const items = ['a', 'b'].map((name) => ({ fields: { sourceUrl: `https://files.example.com/${name}.pdf` } }));
	await run({ fields: { ...MERGE, source: 'sourceUrl', combine: 'each' }, items });
	assert.deepEqual(
		api.sent('POST /v1/tools').map((request) => request.json.input.sources),
		items.map((item) => [{ sourceUrl: item.fields.sourceUrl }]),
	);
});

test('steps, labels and the options of the result are sent', async () => {
	const jobOptions = {
		then: { rows: [{ toolSlug: 'compress-pdf', options: '{"preset": "small"}' }] },
		metadata: { entries: [{ name: 'order', value: '4711' }] },
		filename: 'invoice.pdf',
		retentionSeconds: 600,
		keepSignatures: true,
	};
	await run({ fields: { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx', jobOptions } });
	assert.deepEqual(api.sent('POST /v1/tools')[0]?.json, {
		input: { sourceUrl: 'https://files.example.com/a.docx' },
		options: {},
		then: [{ toolSlug: 'compress-pdf', options: { preset: 'small' } }],
		output: { filename: 'invoice.pdf', retentionSeconds: 600, keepSignatures: true },
		metadata: { order: '4711' },
	});
});

test('a stored template is named with or without a version', async () => {
	const fields = { resource: 'office', operation: 'render-template', source: 'template' };
	for (const templateName of ['invoice', ' invoice@2']) {
		await run({ fields: { ...fields, templateName, wait: false } });
	}
	assert.deepEqual(
		api.sent('POST /v1/tools').map((request) => request.json.input),
		[{ template: { name: 'invoice' } }, { template: { name: 'invoice', version: 2 } }],
	);
});

test('each file of a result becomes an item', async () => {
	api.files = ['one', 'two'].map((name) => ({ filename: `${name}.png`, contentType: 'image/png', content: name }));
	const fields = {
		resource: 'convert',
		operation: 'pdf-to-images',
		source: 'jobId',
		sourceJobId: 'job-1',
		delivery: 'files',
		outputField: 'page',
	};
	const outputs = await run({ fields });
	assert.deepEqual(
		outputs.map((output) => [output.json.fileIndex, output.binary?.page?.fileName, output.binary?.page?.content]),
		[
			[0, 'one.png', 'one'],
			[1, 'two.png', 'two'],
		],
	);
});

test('without waiting, the output is the job as it was created', async () => {
	const fields = { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx', wait: false };
	const [output] = await run({ fields });
	assert.equal(output?.json.status, 'queued');
	assert.equal(output?.binary, undefined);
	assert.deepEqual(api.sent('GET'), []);
});

test('the node asks again until the job has ended', async () => {
	api.outcomes.push('processing', 'processing', 'completed');
	const [output] = await run({
		fields: { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx' },
	});
	assert.equal(output?.json.status, 'completed');
	const waits = api.sent('GET /v1/jobs').filter((request) => request.headers.prefer);
	assert.deepEqual(
		waits.map((request) => request.headers.prefer),
		['wait=25', 'wait=25', 'wait=25'],
	);
});

test('a job that takes too long fails the node, and a retry waits for the same job', async () => {
	api.outcomes.push(...Array<'processing'>(1000).fill('processing'));
	const setting = {
		fields: { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx', maximumWait: 1 },
		context: {},
	};
	await assert.rejects(run(setting), /still processing after 1 seconds/);
	api.outcomes.length = 0;
	const [output] = await run({ ...setting, executionId: '232' });
	assert.equal(output?.json.status, 'completed');
	assert.equal(api.created, 1);
});

test('a request that the API refuses is an API error with its code, message, details and request id', async () => {
	api.script.push([
		'POST /v1/tools',
		{
			status: 422,
			body: {
				ok: false,
				requestId: 'req-77',
				error: {
					code: 'validation_failed',
					message: 'Correct the request.',
					status: 422,
					details: [{ path: '/options/pageRange', message: 'is no range' }],
				},
			},
		},
	]);
	const fields = {
		...OFFICE,
		source: 'sourceUrl',
		sourceUrl: 'https://files.example.com/a.docx',
		options: { pageRange: 'x' },
	};
	const error = await run({ fields }).catch((error: unknown) => error);
	assert.ok(error instanceof NodeApiError);
	assert.equal(error.message, 'Correct the request. (validation_failed)');
	assert.equal(error.description, '/options/pageRange: is no range\nRequest ID: req-77');
	assert.equal(error.httpCode, '422');
	assert.equal(error.context.itemIndex, 0);
});

test('a failed job is an API error with the code of the job', async () => {
	api.outcomes.push({ code: 'password_required', message: 'Send the password.' });
	const fields = { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx' };
	const error = await run({ fields }).catch((error: unknown) => error);
	assert.ok(error instanceof NodeApiError);
	assert.equal(error.message, 'Send the password. (password_required)');
	assert.match(String(error.description), /^Job: [0-9a-f-]{36}\nRequest ID: req-1$/);
});

test('if the workflow goes on after errors, each failed item has its error and others their result', async () => {
	api.outcomes.push({ code: 'corrupt_document', message: 'The document is damaged.' }, 'completed');
	const items = ['bad', 'good'].map((name) => ({ fields: { sourceUrl: `https://files.example.com/${name}.docx` } }));
	const [bad, good] = await run({ fields: { ...OFFICE, source: 'sourceUrl' }, items, continueOnFail: true });
	assert.deepEqual(Object.keys(bad?.json ?? {}), ['error']);
	assert.equal(bad?.json.error.code, 'corrupt_document');
	assert.equal(bad?.json.error.requestId, 'req-1');
	assert.deepEqual(bad?.pairedItem, [{ item: 0 }]);
	assert.equal(good?.json.status, 'completed');
	assert.deepEqual(good?.pairedItem, [{ item: 1 }]);
});

test('a wrong value of a field is an error of the node, before anything is sent', async () => {
	const fields = {
		resource: 'edit',
		operation: 'fill-form',
		source: 'jobId',
		sourceJobId: 'job-1',
		fields: '{name: }',
	};
	const error = await run({ fields }).catch((error: unknown) => error);
	assert.ok(error instanceof NodeOperationError);
	assert.match(error.message, /fields is not valid JSON/);
	assert.deepEqual(api.requests, []);
});

test('the node waits as long as the API asks for, then repeats the request with its key', async () => {
	api.script.push([
		'POST /v1/tools',
		{ status: 429, headers: { 'retry-after': '1' }, body: { error: { code: 'rate_limited' } } },
	]);
	const started = Date.now();
	await run({ fields: { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx', wait: false } });
	assert.ok(Date.now() - started >= 990);
	const keys = api.sent('POST /v1/tools').map((request) => request.headers['idempotency-key']);
	assert.equal(keys.length, 2);
	assert.equal(keys[0], keys[1]);
});

test('jobs can be read, canceled, deleted, and their results downloaded', async () => {
	const [created] = await run({
		fields: { ...OFFICE, source: 'sourceUrl', sourceUrl: 'https://files.example.com/a.docx', wait: false },
	});
	const job = (operation: string) => run({ fields: { resource: 'job', operation, jobId: created?.json.id } });
	assert.equal((await job('get'))[0]?.json.status, 'queued');
	assert.equal((await job('result'))[0]?.binary?.data?.content, '%PDF-result');
	assert.equal((await job('cancel'))[0]?.json.status, 'canceled');
	assert.deepEqual((await job('delete'))[0]?.json, { id: created?.json.id, deleted: true });
	await assert.rejects(job('get'), /job_not_found/);
});
