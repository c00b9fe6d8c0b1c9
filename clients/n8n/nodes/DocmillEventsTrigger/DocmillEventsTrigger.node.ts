import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';
import { nodeError } from '../Docmill/failure';
import { eventsField } from '../DocmillTrigger/events';
import { newEvents } from './list';

export class DocmillEventsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Docmill Events Trigger',
		name: 'docmillEventsTrigger',
		icon: { light: 'file:../../icons/docmill.svg', dark: 'file:../../icons/docmill.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description: 'Asks for events from time to time, where the service cannot reach n8n',
		defaults: { name: 'Docmill Events Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'docmillApi', required: true }],
		properties: [eventsField],
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		try {
			const events = await newEvents(this);
			return events.length > 0 ? [this.helpers.returnJsonArray(events)] : null;
		} catch (error) {
			throw nodeError(this.getNode(), error, 0);
		}
	}
}
