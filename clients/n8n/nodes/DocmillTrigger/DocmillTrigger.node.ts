import {
	NodeConnectionTypes,
	type IDataObject,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { nodeError } from '../Docmill/failure';
import { eventsField } from './events';
import { create, exists, remove, type Kept } from './endpoint';
import { isSigned } from './signature';

const MOST_SEEN = 200;

export class DocmillTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Docmill Trigger',
		name: 'docmillTrigger',
		icon: { light: 'file:../../icons/docmill.svg', dark: 'file:../../icons/docmill.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Starts the workflow when a job has ended, or the account needs attention',
		defaults: { name: 'Docmill Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'docmillApi', required: true }],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
		properties: [eventsField],
	};

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await reported(this, exists);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await reported(this, create);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await reported(this, remove);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const kept: Kept = this.getWorkflowStaticData('node');
		const request = this.getRequestObject();
		const header = (name: string) => String(request.headers[name] ?? '');
		const headers = {
			id: header('webhook-id'),
			timestamp: header('webhook-timestamp'),
			signature: header('webhook-signature'),
		};
		if (!kept.secret || !isSigned(kept.secret, headers, request.rawBody ?? Buffer.alloc(0))) {
			this.getResponseObject().status(401).send('The signature does not fit.');
			return { noWebhookResponse: true };
		}
		// An answer without `workflowData` is a 200, and starts nothing.
		const seen = kept.seen ?? [];
		if (seen.includes(headers.id)) return {};
		kept.seen = [...seen, headers.id].slice(-MOST_SEEN);
		return {
			workflowData: [this.helpers.returnJsonArray({ eventId: headers.id, ...(this.getBodyData() as IDataObject) })],
		};
	}
}

async function reported(hook: IHookFunctions, action: (hook: IHookFunctions) => Promise<boolean>): Promise<boolean> {
	try {
		return await action(hook);
	} catch (error) {
		throw nodeError(hook.getNode(), error, 0);
	}
}
