// A small Docmill on loopback. It keeps every request, and does what the API's description says as far as the node uses it.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Recorded {
	method: string;
	path: string;
	headers: IncomingMessage['headers'];
	body: Buffer;
	json: any;
}

export interface Scripted {
	status: number;
	headers?: Record<string, string>;
	body?: object;
	/** The request is carried out, but its answer is lost. */
	lose?: boolean;
}

export class FakeApi {
	readonly requests: Recorded[] = [];
	readonly jobs = new Map<string, any>();
	readonly uploads = new Map<string, Buffer>();
	webhooks: any[] = [];
	events: { id: string; type: string }[] = [];
	/** Answers to the next requests whose method and path begin so. */
	readonly script: [string, Scripted][] = [];
	/** What becomes of new jobs, the next one first. */
	readonly outcomes: ('completed' | 'processing' | { code: string; message: string })[] = [];
	/** The files of each result. */
	files = [{ filename: 'result.pdf', contentType: 'application/pdf', content: '%PDF-result' }];
	created = 0;
	private readonly keys = new Map<string, { id: string; body: string }>();
	private readonly server: Server;

	private constructor() {
		this.server = createServer((request, response) => void this.answer(request, response));
	}

	static async start(): Promise<FakeApi> {
		const api = new FakeApi();
		api.server.listen(0, '127.0.0.1');
		await once(api.server, 'listening');
		return api;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	stop(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	/** The requests that begin so, such as `POST /v1/tools`. */
	sent(start: string): Recorded[] {
		return this.requests.filter((request) => `${request.method} ${request.path}`.startsWith(start));
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await buffer(request);
		const [method, path] = [request.method ?? '', request.url ?? ''];
		const isJson = request.headers['content-type']?.startsWith('application/json') && body.length > 0;
		const recorded = {
			method,
			path,
			headers: request.headers,
			body,
			json: isJson ? JSON.parse(body.toString()) : undefined,
		};
		this.requests.push(recorded);
		const index = this.script.findIndex(([start]) => `${method} ${path}`.startsWith(start));
		const scripted = index < 0 ? undefined : this.script.splice(index, 1)[0]?.[1];
		if (scripted && !scripted.lose) return send(response, scripted.status, scripted.body ?? {}, scripted.headers);
		if (path.startsWith('/storage/')) return this.store(recorded, response);
		if (request.headers.authorization !== 'Bearer dm_test_key')
			return send(response, 401, error(401, 'invalid_api_key'));
		const [status, answer, headers] = this.route(recorded);
		if (scripted?.lose) return void response.destroy();
		send(response, status, answer, headers);
	}

	/** Stands for S3, which has no key. */
	private store({ path, method, headers, body }: Recorded, response: ServerResponse): void {
		if (headers.authorization) return send(response, 400, { unexpected: 'authorization' });
		if (method === 'PUT') {
			this.uploads.set(path.slice('/storage/'.length), body);
			return send(response, 200, {});
		}
		const file = this.files[Number(path.slice('/storage/file-'.length))];
		response.writeHead(file ? 200 : 404, { 'content-type': file?.contentType ?? 'text/plain' }).end(file?.content);
	}

	private route(request: Recorded): [number, object, Record<string, string>?] {
		const { method, path } = request;
		const [, tool] = /^\/v1\/tools\/([^/]+)\/jobs$/.exec(path) ?? [];
		const [, id, action] = /^\/v1\/jobs\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
		if (method === 'POST' && tool) return this.create(tool, request);
		if (id) return this.job(method, id, action, request);
		if (method === 'POST' && path === '/v1/uploads') return this.announce(request);
		if (path.startsWith('/v1/webhooks')) return this.webhook(request);
		if (path.startsWith('/v1/events?')) return this.listEvents(new URL(path, this.url).searchParams);
		return [404, error(404, 'route_not_found')];
	}

	private create(tool: string, { headers, json, body }: Recorded): [number, object] {
		const key = String(headers['idempotency-key']);
		const before = this.keys.get(key);
		if (before && before.body !== body.toString()) return [422, error(422, 'idempotency_key_reused')];
		if (before) return [202, envelope({ job: this.jobs.get(before.id) })];
		const job = { id: randomUUID(), status: 'queued', toolSlug: tool, metadata: json.metadata ?? {} };
		this.created += 1;
		this.jobs.set(job.id, job);
		this.keys.set(key, { id: job.id, body: body.toString() });
		return [202, envelope({ job })];
	}

	private job(
		method: string,
		id: string,
		action: string | undefined,
		{ headers }: Recorded,
	): [number, object, Record<string, string>?] {
		const job = this.jobs.get(id);
		if (!job) return [404, error(404, 'job_not_found')];
		if (method === 'DELETE') {
			this.jobs.delete(id);
			return [204, {}];
		}
		if (action === 'cancel') return [200, envelope({ job: Object.assign(job, { status: 'canceled' }) })];
		if (action === 'download') return this.download(job);
		if (headers.prefer && job.status !== 'completed') this.proceed(job);
		return [200, envelope({ job }), headers.prefer ? { 'preference-applied': 'wait' } : {}];
	}

	private proceed(job: any): void {
		const outcome = this.outcomes.shift() ?? 'completed';
		if (typeof outcome === 'string') job.status = outcome;
		else Object.assign(job, { status: 'failed', error: { ...outcome, retryable: false } });
	}

	private download(job: any): [number, object] {
		if (job.status !== 'completed') return [409, { ...error(409, 'job_failed'), job }];
		const downloads = this.files.map(({ content, ...file }, index) => ({
			...file,
			index,
			bytes: content.length,
			url: `${this.url}/storage/file-${index}`,
		}));
		return [200, envelope({ job, download: downloads[0], downloads })];
	}

	private announce({ json }: Recorded): [number, object] {
		const id = `upl_${randomUUID().replaceAll('-', '')}`;
		const upload = {
			id,
			url: `${this.url}/storage/${id}`,
			method: 'PUT',
			headers: { 'content-type': json.contentType, 'x-amz-signed': 'yes' },
			expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
		};
		return [201, envelope({ upload })];
	}

	/** Two events a page. */
	private listEvents(query: URLSearchParams): [number, object] {
		const first = this.events.findIndex((event) => event.id === query.get('after')) + 1;
		const events = this.events.slice(first, first + 2);
		const nextCursor = events.at(-1)?.id ?? query.get('after') ?? undefined;
		return [200, envelope({ events, hasMore: first + 2 < this.events.length, nextCursor })];
	}

	private webhook({ method, path, json }: Recorded): [number, object] {
		if (method === 'GET') return [200, envelope({ webhooks: this.webhooks.map(({ secret, ...webhook }) => webhook) })];
		if (method === 'POST') {
			const webhook = {
				id: `wh_${this.webhooks.length}`,
				status: 'active',
				secret: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
				...json,
			};
			this.webhooks.push(webhook);
			return [201, envelope({ webhook })];
		}
		const before = this.webhooks.length;
		this.webhooks = this.webhooks.filter((webhook) => !path.endsWith(webhook.id));
		return this.webhooks.length < before ? [204, {}] : [404, error(404, 'webhook_not_found')];
	}
}

function envelope(content: object): object {
	return { ok: true, requestId: 'req-1', ...content };
}

function error(status: number, code: string): object {
	return { ok: false, requestId: 'req-1', error: { code, message: `This is ${code}.`, status } };
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(status === 204 ? undefined : JSON.stringify(body));
}
