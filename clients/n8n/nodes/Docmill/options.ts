import { jsonParse, UserError, type IDataObject } from 'n8n-workflow';
import type { Shape, Tool } from './tool';

type Named = { name: string; value: unknown };

/** The options of a job, from the values of the fields. Empty fields are left out. */
export function optionsOf(tool: Tool, values: IDataObject): IDataObject {
	return object(tool.shapes, values);
}

function object(shapes: Record<string, Shape>, values: IDataObject): IDataObject {
	const entries = Object.entries(values).map(([name, value]) => [name, option(name, shapes[name] ?? 'value', value)]);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as IDataObject;
}

function option(name: string, shape: Shape, value: unknown): unknown {
	if (value === '' || value === undefined || value === null) return undefined;
	if (typeof shape === 'string') return simple(name, shape, value);
	if ('object' in shape) return present(object(shape.object, value as IDataObject));
	if ('rows' in shape) return present(rows<IDataObject>(value, 'rows').map((row) => object(shape.rows, row)));
	const words = present(value as string[]);
	return words?.length === 1 && shape.alone.includes(words[0] ?? '') ? words[0] : words;
}

function simple(name: string, shape: Extract<Shape, string>, value: unknown): unknown {
	switch (shape) {
		case 'value':
			return Array.isArray(value) ? present(value) : value;
		case 'measure':
			return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
		case 'numbers':
			return numbers(name, value);
		case 'json':
			return present(json(name, value));
		case 'names':
			return present(named(value));
		case 'form':
			return form(name, value as IDataObject);
		case 'forms':
			return present(
				Object.entries(value as IDataObject).flatMap(([key, list]) =>
					(list as IDataObject[]).map((each) => formOf(key, each)),
				),
			);
	}
}

function numbers(name: string, value: unknown): number[] {
	const list = Array.isArray(value) ? value.map(Number) : String(value).split(',').map(Number);
	if (list.some(Number.isNaN)) throw new UserError(`${name}: write numbers, separated by commas.`);
	return list;
}

/** A JSON field holds text, or an object if it is an expression. */
export function json(name: string, value: unknown): IDataObject {
	if (typeof value === 'object') return value as IDataObject;
	return jsonParse<IDataObject>(String(value), { errorMessage: `${name} is not valid JSON.` });
}

/** Rows of names and values as an object. */
export function named(value: unknown): IDataObject {
	const pairs = rows<Named>(value, 'entries').filter((pair) => pair.name !== '');
	return Object.fromEntries(pairs.map((pair) => [pair.name, pair.value])) as IDataObject;
}

function form(name: string, value: IDataObject): unknown {
	const given = Object.entries(value);
	if (given.length > 1) throw new UserError(`${name}: choose one of ${given.map(([key]) => key).join(' and ')}.`);
	const [first] = given;
	return first && formOf(first[0], first[1] as IDataObject);
}

function formOf(key: string, value: IDataObject): unknown {
	return key === 'event' ? value.event : value;
}

/** The rows of a field with several entries. */
export function rows<Row>(value: unknown, group: string): Row[] {
	return ((value as Record<string, Row[]> | undefined)?.[group] ?? []) as Row[];
}

function present<T extends object>(value: T): T | undefined {
	return Object.keys(value).length > 0 ? value : undefined;
}
