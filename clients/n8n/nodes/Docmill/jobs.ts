import {
	sleep,
	type IBinaryData,
	type IDataObject,
	type IExecuteFunctions,
	type IN8nHttpFullResponse,
	type INodeExecutionData,
} from 'n8n-workflow';
import { call, type Answer } from './api';
import { Failure, failureOf } from './failure';

export interface Job extends IDataObject {
	id: string;
	status: string;
	error?: { code: string; message: string; retryable: boolean };
}

interface Download extends IDataObject {
	url: string;
	filename: string;
	contentType: string;
	bytes: number;
	index?: number;
}

/** What becomes of a result. */
export type Delivery = 'result' | 'files' | 'none';

/** The longest that one request of the API waits. */
const MOST_SECONDS_OF_WAIT = 25;
const ENDED = ['completed', 'failed', 'canceled', 'expired', 'deleted'];

/** The job as it is, or `undefined` if the account has none with this id (any more). */
export async function jobIfKnown(context: IExecuteFunctions, id: string): Promise<Job | undefined> {
	const { status, body } = await call(context, { method: 'GET', path: jobPath(id), allowed: [404] });
	return status === 404 ? undefined : (body.job as Job);
}

export function jobPath(id: string): string {
	return `/v1/jobs/${encodeURIComponent(id)}`;
}

/** Waits until the job has completed. Fails if it has ended otherwise, or has not ended in time. */
export async function completed(context: IExecuteFunctions, id: string, seconds: number): Promise<Job> {
	const deadline = Date.now() + 1000 * seconds;
	for (let asked = 0; ; asked += 1) {
		const left = Math.ceil((deadline - Date.now()) / 1000);
		const answer = await waited(context, id, left);
		const job = answer.body.job as Job;
		if (ENDED.includes(job.status)) return completedJob(job, answer);
		if (left <= 0) throw stillRunning(job, seconds, answer);
		// The service holds only a few requests of an account at a time.
		if (!answer.headers['preference-applied']) await sleep(1000 * Math.min(1.5 ** asked, 10, left));
		if (context.getExecutionCancelSignal()?.aborted)
			throw new Failure('canceled', 'The execution was canceled.', { jobId: id });
	}
}

async function waited(context: IExecuteFunctions, id: string, seconds: number): Promise<Answer> {
	const wait = Math.min(seconds, MOST_SECONDS_OF_WAIT);
	return await call(context, { method: 'GET', path: jobPath(id), headers: wait > 0 ? { Prefer: `wait=${wait}` } : {} });
}

function completedJob(job: Job, answer: Answer): Job {
	if (job.status === 'completed') return job;
	const requestId = { requestId: String(answer.body.requestId) };
	const { code, message, retryable } = job.error ?? {
		code: `job_${job.status}`,
		message: `The job is ${job.status}.`,
		retryable: false,
	};
	throw new Failure(code, message, { jobId: job.id, retryable, ...requestId });
}

function stillRunning(job: Job, seconds: number, answer: Answer): Failure {
	const message = `The job is still ${job.status} after ${seconds} seconds. Retry to wait for the same job again.`;
	return new Failure('still_running', message, {
		jobId: job.id,
		retryable: true,
		requestId: String(answer.body.requestId),
	});
}

/** The output of a completed job: one item with the result, or an item for each file. */
export async function delivered(
	context: IExecuteFunctions,
	job: Job,
	delivery: Delivery,
	field: string,
): Promise<Pick<INodeExecutionData, 'json' | 'binary'>[]> {
	if (delivery === 'none') return [{ json: job }];
	const { status, body } = await call(context, { method: 'GET', path: `${jobPath(job.id)}/download` });
	if (status !== 200) throw failureOf(status, body);
	if (delivery === 'result')
		return [{ json: job, binary: { [field]: await fetched(context, body.download as Download) } }];
	const output = [];
	for (const file of (body.downloads ?? [body.download]) as Download[]) {
		output.push({ json: { ...job, fileIndex: file.index ?? 0 }, binary: { [field]: await fetched(context, file) } });
	}
	return output;
}

async function fetched(context: IExecuteFunctions, file: Download): Promise<IBinaryData> {
	// No credentials here: the link is signed.
	const answer = (await context.helpers.httpRequest({
		method: 'GET',
		url: file.url,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
	})) as IN8nHttpFullResponse;
	if (answer.statusCode !== 200) {
		throw new Failure('download_failed', `The storage answered with status ${answer.statusCode}.`, {
			status: answer.statusCode,
		});
	}
	const content = answer.body as unknown as Parameters<typeof context.helpers.prepareBinaryData>[0];
	return await context.helpers.prepareBinaryData(content, file.filename, file.contentType.split(';')[0]);
}
