import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { fields } from './fields';
import { runJobs, runTool } from './run';
import { tools } from './tools';

export class Docmill implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Docmill',
		name: 'docmill',
		icon: { light: 'file:../../icons/docmill.svg', dark: 'file:../../icons/docmill.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Convert, merge, split, protect, redact and read documents',
		defaults: { name: 'Docmill' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'docmillApi', required: true }],
		properties: fields,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = this.getNodeParameter('operation', 0);
		if (this.getNodeParameter('resource', 0) === 'job') return [await runJobs(this, operation)];
		const tool = tools.find((each) => each.slug === operation);
		if (!tool) throw new NodeOperationError(this.getNode(), `The operation ${operation} is not known.`);
		return [await runTool(this, tool)];
	}
}
