import {
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type IHttpRequestMethods,
	type IN8nHttpFullResponse,
	type IPollFunctions,
} from 'n8n-workflow';
import { Failure, failureOf } from './failure';

/** What n8n calls a node with. */
type Context = IExecuteFunctions | IHookFunctions | IPollFunctions;

export interface Request {
	method: IHttpRequestMethods;
	path: string;
	body?: IDataObject;
	headers?: Record<string, string>;
	/** A request that must not be repeated if its answer is lost. */
	once?: boolean;
	/** For answers that are not an error here, such as a 404. */
	allowed?: number[];
}

export interface Answer {
	status: number;
	headers: IDataObject;
	body: IDataObject;
}

const TRIES = 4;
const MOST_SECONDS_OF_PAUSE = 60;

/** Sends a request with the credentials. Repeats it if the service is busy or does not answer. */
export async function call(context: Context, request: Request): Promise<Answer> {
	for (let failures = 1; ; failures += 1) {
		const answer = await send(context, request).catch((error: Error) => lost(error, request, failures));
		if (answer && (answer.status < 400 || request.allowed?.includes(answer.status))) return answer;
		if (answer && (!mayRepeat(answer, request) || failures === TRIES)) throw failureOf(answer.status, answer.body);
		await sleep(1000 * pause(answer, failures));
	}
}

async function send(context: Context, request: Request): Promise<Answer> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('docmillApi');
	const answer = (await context.helpers.httpRequestWithAuthentication.call(context, 'docmillApi', {
		method: request.method,
		url: `${baseUrl.replace(/\/+$/, '')}${request.path}`,
		...(request.body && { body: request.body }),
		headers: request.headers ?? {},
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	})) as IN8nHttpFullResponse;
	const body = isObject(answer.body) ? answer.body : {};
	return { status: answer.statusCode, headers: answer.headers as IDataObject, body };
}

function lost(error: Error, request: Request, failures: number): undefined {
	if (request.once || failures === TRIES) throw new Failure('no_answer', `Docmill did not answer: ${error.message}`);
	return undefined;
}

/** After 429, nothing has happened. The others leave it open, and an idempotency key makes that harmless. */
function mayRepeat({ status }: Answer, request: Request): boolean {
	return status === 429 || (!request.once && [502, 503, 504].includes(status));
}

function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null;
}

function pause(answer: Answer | undefined, failures: number): number {
	const wanted = Number(answer?.headers['retry-after'] ?? NaN);
	return Math.min(Number.isNaN(wanted) ? 2 ** (failures - 1) : wanted, MOST_SECONDS_OF_PAUSE);
}
