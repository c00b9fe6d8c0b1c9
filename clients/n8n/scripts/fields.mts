// Fields of the node, made from the JSON Schemas of a tool's options.

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Shape } from '../nodes/Docmill/tool.ts';
import { choiceDescriptions, description, title, whether } from './words.mts';

/** The part of JSON Schema that options are written in. */
export interface Schema {
	type?: string | string[];
	description?: string;
	default?: unknown;
	const?: string;
	enum?: (string | number)[];
	examples?: unknown[];
	format?: string;
	pattern?: string;
	minimum?: number;
	maximum?: number;
	minItems?: number;
	maxItems?: number;
	required?: string[];
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
	items?: Schema;
	anyOf?: Schema[];
	allOf?: Schema[];
}

export interface Field {
	property: INodeProperties;
	shape: Shape;
}

/** The field of an option. An option that none of the forms fits fails the generation. */
export function field(name: string, schema: Schema, isSecret: (name: string) => boolean): Field {
	const made =
		switchField(name, schema) ??
		choiceField(name, schema) ??
		numberField(name, schema) ??
		textField(name, schema, isSecret(name)) ??
		listField(name, schema) ??
		objectField(name, schema, isSecret) ??
		rowsField(name, schema, isSecret) ??
		formsField(name, schema);
	if (!made) throw new Error(`no form of field fits the option ${name}: ${JSON.stringify(schema).slice(0, 300)}`);
	return made;
}

function base(name: string, schema: Schema) {
	return { displayName: title(name), name, ...described(name, schema) };
}

function described(name: string, schema: Schema): { description?: string } {
	const text = description(schema.description ?? '');
	return text && text !== title(name) ? { description: text } : {};
}

function switchField(name: string, schema: Schema): Field | undefined {
	if (schema.type !== 'boolean') return undefined;
	const text = whether(schema.description ?? '');
	return {
		property: { displayName: title(name), name, type: 'boolean', default: schema.default === true, description: text },
		shape: 'value',
	};
}

function choiceField(name: string, schema: Schema): Field | undefined {
	if (!schema.enum) return undefined;
	const options = choices(schema.enum, schema.description ?? '');
	const first = options[0]?.value ?? '';
	return {
		property: {
			...base(name, schema),
			type: 'options',
			options,
			default: (schema.default as string | undefined) ?? first,
		},
		shape: 'value',
	};
}

function choices(values: (string | number)[], text: string): INodePropertyOptions[] {
	const texts = choiceDescriptions(text, values.map(String));
	const options = values.map((value) => {
		const about = texts.get(String(value));
		return {
			name: title(String(value)),
			value,
			...(about && about !== title(String(value)) ? { description: about } : {}),
		};
	});
	return sorted(options, (option) => option.name);
}

/** n8n asks for the order of the alphabet from five entries on. */
export function sorted<T>(list: T[], name: (entry: T) => string): T[] {
	if (list.length < 5) return list;
	return [...list].sort((one, other) => name(one).localeCompare(name(other)));
}

function numberField(name: string, schema: Schema): Field | undefined {
	if (schema.type !== 'number' && schema.type !== 'integer') return undefined;
	const { minimum, maximum } = schema;
	const start = (schema.default as number | undefined) ?? minimum ?? 0;
	const typeOptions = {
		...(minimum === undefined ? {} : { minValue: minimum }),
		...(maximum === undefined ? {} : { maxValue: maximum }),
		numberPrecision: schema.type === 'integer' ? 0 : 2,
	};
	return { property: { ...base(name, schema), type: 'number', typeOptions, default: start }, shape: 'value' };
}

function textField(name: string, schema: Schema, secret: boolean): Field | undefined {
	const start = schema.default === undefined ? '' : String(schema.default);
	if (schema.pattern === '^#[0-9A-Fa-f]{6}$') {
		return { property: { ...base(name, schema), type: 'color', default: start || '#000000' }, shape: 'value' };
	}
	const isMeasure = schema.anyOf?.some((form) => form.type === 'number' || form.type === 'integer') ?? false;
	if (
		isMeasure &&
		schema.anyOf?.every((form) => form.type === 'string' || form.type === 'number' || form.type === 'integer')
	) {
		return { property: { ...base(name, schema), type: 'string', default: start }, shape: 'measure' };
	}
	if (schema.type !== 'string') return undefined;
	const typeOptions = secret
		? { typeOptions: { password: true } }
		: schema.format === 'inline'
			? { typeOptions: { rows: 4 } }
			: {};
	return { property: { ...base(name, schema), type: 'string', ...typeOptions, default: start }, shape: 'value' };
}

/** Lists of choices, of words, and of a fixed number of numbers. */
function listField(name: string, schema: Schema): Field | undefined {
	const words = schema.anyOf?.find((form) => form.type === 'array' && form.items?.type === 'string');
	if (words) {
		const alone = (schema.anyOf ?? []).flatMap((form) => form.const ?? []);
		return { property: wordsProperty(name, schema), shape: { alone } };
	}
	const items = schema.type === 'array' ? schema.items : undefined;
	if (items?.enum) {
		const property: INodeProperties = {
			...base(name, schema),
			type: 'multiOptions',
			options: choices(items.enum, schema.description ?? ''),
			default: (schema.default as string[] | undefined) ?? [],
		};
		return { property, shape: 'value' };
	}
	if (items?.type === 'string') return { property: wordsProperty(name, schema), shape: { alone: [] } };
	if (items?.type === 'number' && schema.minItems === schema.maxItems) {
		const example = schema.examples?.[0] as number[] | undefined;
		const placeholder = example ? { placeholder: `e.g. ${example.join(', ')}` } : {};
		return { property: { ...base(name, schema), type: 'string', ...placeholder, default: '' }, shape: 'numbers' };
	}
	return undefined;
}

function wordsProperty(name: string, schema: Schema): INodeProperties {
	return { ...base(name, schema), type: 'string', typeOptions: { multipleValues: true }, default: [] };
}

function objectField(name: string, schema: Schema, isSecret: (name: string) => boolean): Field | undefined {
	// An object, or a list of such.
	const isEither = schema.anyOf?.some((form) => form.type === 'object' && form.additionalProperties === true) ?? false;
	if (schema.type !== 'object' && !isEither) return undefined;
	if (schema.properties) {
		const { options, shapes } = fields(schema.properties, isSecret);
		const property: INodeProperties = {
			...base(name, schema),
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options,
		};
		return { property, shape: { object: shapes } };
	}
	const values = isEither ? true : schema.additionalProperties;
	if (values === false) return undefined;
	if (values !== true && values?.type === 'string') return { property: namesProperty(name, schema), shape: 'names' };
	const example = JSON.stringify(schema.examples?.[0] ?? {});
	return { property: { ...base(name, schema), type: 'json', placeholder: example, default: '{}' }, shape: 'json' };
}

/** Rows of a name and a value. */
function namesProperty(name: string, schema: Schema): INodeProperties {
	return {
		...base(name, schema),
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add entry',
		default: {},
		options: [
			{
				displayName: 'Entry',
				name: 'entries',
				values: [
					{ displayName: 'Name', name: 'name', type: 'string', default: '' },
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	};
}

function rowsField(name: string, schema: Schema, isSecret: (name: string) => boolean): Field | undefined {
	const properties = schema.type === 'array' ? schema.items?.properties : undefined;
	if (!properties) return undefined;
	const { options, shapes } = fields(properties, isSecret);
	const property: INodeProperties = {
		...base(name, schema),
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add entry',
		default: {},
		options: [{ displayName: 'Entry', name: 'rows', values: options }],
	};
	return { property, shape: { rows: shapes } };
}

/** One of several forms: a choice, or an object with a single property. */
function formsField(name: string, schema: Schema): Field | undefined {
	const forms = schema.anyOf ?? schema.items?.anyOf;
	if (!forms?.every((form) => form.enum !== undefined || form.required?.length === 1)) return undefined;
	const several = schema.type === 'array';
	const options = forms.map((form) => {
		const key = form.enum ? 'event' : (form.required?.[0] ?? '');
		const inner = form.enum ? form : (form.properties?.[key] ?? {});
		return { displayName: title(key), name: key, values: [field(key, inner, () => false).property] };
	});
	const property: INodeProperties = {
		...base(name, schema),
		type: 'fixedCollection',
		...(several ? { typeOptions: { multipleValues: true } } : {}),
		placeholder: 'Add condition',
		default: {},
		options: sorted(options, (option) => option.displayName),
	};
	return { property, shape: several ? 'forms' : 'form' };
}

/** The fields of several options, in the order that n8n asks for. */
export function fields(properties: Record<string, Schema>, isSecret: (name: string) => boolean) {
	const made = Object.entries(properties).map(([name, schema]) => field(name, schema, isSecret));
	return {
		options: sorted(
			made.map((each) => each.property),
			(property) => property.displayName,
		),
		/** Most are plain values, which need no mention. */
		shapes: Object.fromEntries(
			made.filter((each) => each.shape !== 'value').map((each) => [each.property.name, each.shape]),
		),
	};
}
