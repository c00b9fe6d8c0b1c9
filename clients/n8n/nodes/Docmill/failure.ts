import { NodeApiError, NodeOperationError, type IDataObject, type INode, type JsonObject } from 'n8n-workflow';

/** Why a request or a job failed, as the API tells it. */
export class Failure extends Error {
	constructor(
		readonly code: string,
		message: string,
		readonly more: {
			/** The HTTP status. Absent if the request was answered, and the job failed. */
			status?: number;
			requestId?: string;
			jobId?: string;
			retryable?: boolean;
			details?: { path: string; message: string }[];
		} = {},
	) {
		super(message);
	}

	/** As the output `error` of an item, if the workflow goes on. */
	toJson(): IDataObject {
		return { code: this.code, message: this.message, ...this.more };
	}

	/** Shown below the message in the editor. */
	description(): string {
		const { details = [], requestId, jobId } = this.more;
		const lines = details.map((each) => `${each.path}: ${each.message}`);
		if (jobId) lines.push(`Job: ${jobId}`);
		if (requestId) lines.push(`Request ID: ${requestId}`);
		return lines.join('\n');
	}
}

/** The failure that an answer of the API describes. */
export function failureOf(status: number, body: IDataObject): Failure {
	const requestId = typeof body.requestId === 'string' ? body.requestId : undefined;
	const error = body.error as { code?: string; message?: string; details?: [] } | undefined;
	const job = body.job as { id?: string; error?: { code: string; message: string; retryable: boolean } } | undefined;
	const { code = 'unexpected_answer', message = `Docmill answered with status ${status}.`, details } = error ?? {};
	return new Failure(code, message, {
		status,
		...(requestId && { requestId }),
		...(job?.id && { jobId: job.id }),
		...(details && { details }),
	});
}

/** What n8n shows and logs: an API error with the code, the message and the request's id. */
export function nodeError(node: INode, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof Failure)) return new NodeOperationError(node, error as Error, { itemIndex });
	return new NodeApiError(node, error.toJson() as JsonObject, {
		message: `${error.message} (${error.code})`,
		description: error.description(),
		itemIndex,
		...(error.more.status && { httpCode: String(error.more.status) }),
	});
}
