import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { call } from './api';
import { Attempts, type Attempt } from './attempts';
import { Failure, nodeError } from './failure';
import { completed, delivered, jobIfKnown, jobPath, type Delivery, type Job } from './jobs';
import { json, named, optionsOf, rows } from './options';
import { resolved, sourcesOf, type Given } from './sources';
import type { Tool } from './tool';

/** The items that one job is for. */
type Order = [number, ...number[]];
type Output = Pick<INodeExecutionData, 'json' | 'binary'>;

/** Creates all jobs, so that they run side by side, then waits for each. */
export async function runTool(context: IExecuteFunctions, tool: Tool): Promise<INodeExecutionData[]> {
	const attempts = new Attempts(context);
	const started: { order: Order; job?: Job; output: INodeExecutionData[] }[] = [];
	for (const order of orders(context, tool)) {
		let job: Job | undefined;
		const output = await settled(context, order, async () => {
			job = await start(context, tool, order, attempts);
			return [];
		});
		started.push({ order, output, ...(job && { job }) });
	}
	const outputs: INodeExecutionData[] = [];
	for (const { order, job, output } of started) {
		outputs.push(...output);
		if (job) outputs.push(...(await settled(context, order, () => finish(context, job, order[0]))));
	}
	return outputs;
}

export async function runJobs(context: IExecuteFunctions, operation: string): Promise<INodeExecutionData[]> {
	const outputs: INodeExecutionData[] = [];
	for (const item of context.getInputData().keys()) {
		const id = String(context.getNodeParameter('jobId', item)).trim();
		outputs.push(...(await settled(context, [item], () => runJob(context, operation, id, item))));
	}
	return outputs;
}

async function runJob(context: IExecuteFunctions, operation: string, id: string, item: number): Promise<Output[]> {
	if (id === '') throw new Failure('no_job', 'The job ID is empty.');
	switch (operation) {
		case 'cancel':
			return [{ json: (await call(context, { method: 'POST', path: `${jobPath(id)}/cancel` })).body.job as Job }];
		case 'delete':
			await call(context, { method: 'DELETE', path: jobPath(id) });
			return [{ json: { id, deleted: true } }];
		case 'get':
			return [{ json: (await call(context, { method: 'GET', path: jobPath(id) })).body.job as Job }];
		default:
			return await result(context, id, item);
	}
}

function orders(context: IExecuteFunctions, tool: Tool): Order[] {
	const [first, ...others] = context.getInputData().keys();
	if (first === undefined) return [];
	if (tool.joins && context.getNodeParameter('combine', 0) === 'all') return [[first, ...others]];
	return [first, ...others].map((item) => [item]);
}

/** The output of an action, or its error if the workflow goes on after errors. */
async function settled(
	context: IExecuteFunctions,
	order: Order,
	action: () => Promise<Output[]>,
): Promise<INodeExecutionData[]> {
	const pairedItem = order.map((item) => ({ item }));
	try {
		return (await action()).map((output) => ({ ...output, pairedItem }));
	} catch (error) {
		if (!context.continueOnFail()) throw nodeError(context.getNode(), error, order[0]);
		// n8n sends an item with nothing but `error` to the error output, if the node has one.
		const failure = error instanceof Failure ? error.toJson() : { message: (error as Error).message };
		return [{ json: { error: failure }, pairedItem }];
	}
}

/** Creates the job, or finds the one that this execution has created before. */
async function start(context: IExecuteFunctions, tool: Tool, order: Order, attempts: Attempts): Promise<Job> {
	const sources = order.flatMap((item) => sourcesOf(context, tool, item));
	const request = requestOf(context, tool, order[0]);
	const wanted = {
		sources: sources.map(({ value, ...source }) => ({ ...source, value: source.file ?? value })),
		request,
	};
	let attempt = attempts.current(order[0], wanted);
	const before = attempt.jobId === undefined ? undefined : await jobIfKnown(context, attempt.jobId);
	if (before && ['queued', 'processing', 'completed'].includes(before.status)) return before;
	if (attempt.jobId !== undefined) attempt = attempts.next(order[0], wanted);
	const input = await inputOf(context, tool, sources, attempt);
	const created = await call(context, {
		method: 'POST',
		path: `/v1/tools/${tool.slug}/jobs`,
		headers: { 'Idempotency-Key': attempt.key },
		body: { input, ...request },
	});
	const job = created.body.job as Job;
	attempt.jobId = job.id;
	return job;
}

async function inputOf(
	context: IExecuteFunctions,
	tool: Tool,
	sources: Given[],
	attempt: Attempt,
): Promise<IDataObject> {
	const ready: IDataObject[] = [];
	for (const [place, source] of sources.entries()) ready.push(await resolved(context, source, place, attempt));
	const isAlone = ready.length < 2 && !tool.joins;
	return tool.most > 1 && !isAlone ? { sources: ready } : (ready[0] ?? {});
}

/** The request without its sources. */
function requestOf(context: IExecuteFunctions, tool: Tool, item: number): IDataObject {
	const collected = context.getNodeParameter('options', item, {}) as IDataObject;
	const own = tool.ownFields.map((name) => [name, context.getNodeParameter(name, item, '')]);
	const { then, metadata, ...output } = context.getNodeParameter('jobOptions', item, {}) as IDataObject;
	const steps = rows<IDataObject>(then, 'rows').map((step) => ({ ...step, options: json('Options', step.options) }));
	const labels = named(metadata);
	if (output.filename === '') delete output.filename;
	return {
		options: optionsOf(tool, { ...collected, ...(Object.fromEntries(own) as IDataObject) }),
		...(steps.length > 0 && { then: steps }),
		...(Object.keys(output).length > 0 && { output }),
		...(Object.keys(labels).length > 0 && { metadata: labels }),
	};
}

async function finish(context: IExecuteFunctions, job: Job, item: number): Promise<Output[]> {
	return context.getNodeParameter('wait', item) ? await result(context, job.id, item) : [{ json: job }];
}

async function result(context: IExecuteFunctions, id: string, item: number): Promise<Output[]> {
	const seconds = context.getNodeParameter('maximumWait', item) as number;
	const delivery = context.getNodeParameter('delivery', item) as Delivery;
	const field = context.getNodeParameter('outputField', item, 'data') as string;
	return await delivered(context, await completed(context, id, seconds), delivery, field);
}
