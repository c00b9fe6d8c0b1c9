import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** One try to get a job done, which ends when the job has failed or the request has changed. */
export interface Attempt {
	/** Sent as `Idempotency-Key`. */
	key: string;
	jobId?: string;
	/** The uploads for its sources, by their place in the request. */
	uploads: Record<string, { id: string; expiresAt: string }>;
}

interface Kept extends Omit<Attempt, 'key'> {
	number: number;
	fingerprint: string;
}

/**
 * The attempts of this node in this execution.
 *
 * n8n keeps a node's context with the execution's data. A retry of the execution has a new id but the same data, so it finds the
 * job that it has paid for.
 */
export class Attempts {
	private readonly context: IDataObject;

	constructor(private readonly functions: IExecuteFunctions) {
		this.context = functions.getContext('node');
		this.context.docmillExecution ??= functions.getExecutionId();
		this.context.docmillAttempts ??= {};
	}

	/** The attempt for an item: the one before if it asked for the same, else a new one. */
	current(item: number, request: unknown): Attempt {
		const fingerprint = digest(request);
		const before = this.kept[this.slot(item)];
		if (before?.fingerprint !== fingerprint) return this.begin(item, fingerprint);
		if (before.jobId === undefined && Object.values(before.uploads).some(isExpiring))
			return this.begin(item, fingerprint);
		return this.withKey(item, before);
	}

	/** A new attempt for the same request: the job before has failed, and was refunded. */
	next(item: number, request: unknown): Attempt {
		return this.begin(item, digest(request));
	}

	private begin(item: number, fingerprint: string): Attempt {
		const number = (this.kept[this.slot(item)]?.number ?? 0) + 1;
		const kept: Kept = { number, fingerprint, uploads: {} };
		this.kept[this.slot(item)] = kept;
		return this.withKey(item, kept);
	}

	/** The attempt itself, so that what is learned of it is kept. */
	private withKey(item: number, kept: Kept): Attempt {
		const { functions } = this;
		const place = [functions.getInstanceId(), functions.getWorkflow().id, functions.getNode().id];
		const key = `n8n-${digest([...place, this.context.docmillExecution, this.slot(item), kept.number, kept.fingerprint])}`;
		return Object.assign(kept, { key });
	}

	/** A node in a loop runs several times in an execution. */
	private slot(item: number): string {
		return `${String(this.functions.getWorkflowDataProxy(0).$runIndex ?? 0)}:${item}`;
	}

	private get kept(): Record<string, Kept> {
		return this.context.docmillAttempts as unknown as Record<string, Kept>;
	}
}

/** An upload that may be gone when the job is created. */
function isExpiring(upload: { expiresAt: string }): boolean {
	return Date.parse(upload.expiresAt) < Date.now() + 60_000;
}

function digest(value: unknown): string {
	return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
