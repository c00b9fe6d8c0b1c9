// What the fields send, compared with the schemas that the service enforces.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { IDataObject, INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import { optionsOf } from '../dist/nodes/Docmill/options.js';
import type { Shape } from '../dist/nodes/Docmill/tool.js';
import { tools } from '../dist/nodes/Docmill/tools/index.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/** Text that fits where a pattern or a measure is asked for. */
const TEXTS: Record<string, string> = {
	timestampUrl: 'https://time.example.com',
	background: 'transparent',
	box: '72, 96, 300.5, 110',
	keyArn: 'arn:aws:kms:eu-central-1:111122223333:alias/signer',
	roleArn: 'arn:aws:iam::111122223333:role/docmill-sign',
	close: ']]',
	margin: '10mm',
	open: '[[',
	path: '/docs',
	pattern: '\\d+',
	sheet: '2',
	time: '2026-11-28T12:00:00Z',
};
/** Fields that exclude others beside them. */
const EXCLUSIVE = ['stamps.source', 'stamps.barcode', 'key.pkcs12'];
/** Properties that every job has, and that the node asks for once. */
const ELSEWHERE = ['filename'];

function schemaOf(slug: string) {
	const file = new URL(`../../../shared/tools/${slug}.options.json`, import.meta.url);
	return JSON.parse(readFileSync(file, 'utf8')) as { properties?: Record<string, any> };
}

/** The fields of a tool's options, also those in the collection. */
function fieldsOf(tool: (typeof tools)[number]): INodeProperties[] {
	return tool.fields.flatMap((field) => (field.name === 'options' ? (field.options as INodeProperties[]) : [field]));
}

/** What n8n gives for a field that somebody has filled in. */
function filled(field: INodeProperties, shape: Shape | undefined): unknown {
	switch (field.type) {
		case 'boolean':
			return !field.default;
		case 'options':
			return (field.options as INodePropertyOptions[]).at(-1)?.value;
		case 'multiOptions':
			return [(field.options as INodePropertyOptions[])[0]?.value];
		case 'number':
			return field.typeOptions?.maxValue ?? field.default;
		case 'color':
			return '#0af0AF';
		case 'json':
			return field.name === 'structure' ? '{"blocks": []}' : '{"name": "Zoë", "terms": true}';
		case 'collection':
			return Object.fromEntries(
				(field.options as INodeProperties[])
					.filter((inner) => !EXCLUSIVE.includes(`${field.name}.${inner.name}`))
					.map((inner) => [inner.name, filled(inner, nested(shape, inner.name))]),
			);
		case 'fixedCollection':
			return groups(field, shape);
		default:
			if (field.typeOptions?.multipleValues) return ['1-3'];
			return TEXTS[field.name] ?? (shape === 'measure' ? '210.5' : 'text');
	}
}

function nested(shape: Shape | undefined, name: string): Shape | undefined {
	if (typeof shape !== 'object') return undefined;
	return 'object' in shape ? shape.object[name] : 'rows' in shape ? shape.rows[name] : undefined;
}

/** One row of each group; of a choice between forms, the last one. */
function groups(field: INodeProperties, shape: Shape | undefined): object {
	const all = field.options as INodePropertyCollection[];
	const chosen = shape === 'form' ? all.slice(-1) : all;
	return Object.fromEntries(
		chosen.map((group) => {
			const row = Object.fromEntries(
				group.values
					.filter((inner) => !EXCLUSIVE.includes(`${field.name}.${inner.name}`))
					.map((inner) => [inner.name, filled(inner, nested(shape, inner.name))]),
			);
			return [group.name, field.typeOptions?.multipleValues ? [row] : row];
		}),
	);
}

for (const tool of tools) {
	const { properties = {} } = schemaOf(tool.slug);

	test(`${tool.slug}: there is a field for each option`, () => {
		const names = Object.keys(properties).filter((name) => !ELSEWHERE.includes(name));
		assert.deepEqual(
			fieldsOf(tool)
				.map((field) => field.name)
				.sort(),
			names.sort(),
		);
	});

	test(`${tool.slug}: what each field sends is valid`, () => {
		for (const field of fieldsOf(tool)) {
			const sent = optionsOf(tool, { [field.name]: filled(field, tool.shapes[field.name]) } as IDataObject);
			const isValid = ajv.compile(properties[field.name]);
			assert.ok(field.name in sent, `${field.name} is sent`);
			assert.ok(
				isValid(sent[field.name]),
				`${field.name}: ${JSON.stringify(sent[field.name])} ${ajv.errorsText(isValid.errors)}`,
			);
		}
	});

	test(`${tool.slug}: fields begin with the defaults and the choices of the schema`, () => {
		for (const field of fieldsOf(tool)) {
			const { default: start, enum: choices } = properties[field.name];
			if (['string', 'number', 'boolean'].includes(typeof start) && field.type !== 'fixedCollection') {
				assert.equal(String(field.default), String(start), field.name);
			}
			if (choices) {
				const values = (field.options as INodePropertyOptions[]).map((option) => option.value);
				assert.deepEqual(new Set(values), new Set(choices), field.name);
			}
		}
	});
}

test('empty fields are left out', () => {
	const redact = tools.find((tool) => tool.slug === 'redact-pdf');
	assert.ok(redact);
	assert.deepEqual(optionsOf(redact, { regions: '', text: {}, label: '', languages: [], metadata: false }), {
		metadata: false,
	});
});

test('a measure is a number of pixels or has a unit', () => {
	const page = tools.find((tool) => tool.slug === 'html-to-pdf');
	assert.ok(page);
	assert.deepEqual(optionsOf(page, { width: '800', height: '210mm', marginTop: 20 }), {
		width: 800,
		height: '210mm',
		marginTop: 20,
	});
});

test('several forms of a condition that takes one are refused', () => {
	const page = tools.find((tool) => tool.slug === 'html-to-pdf');
	assert.ok(page);
	const waitFor = { selector: { selector: '#ready' }, delayMs: { delayMs: 100 } };
	assert.throws(() => optionsOf(page, { waitFor }), /waitFor: choose one of selector and delayMs/);
});

test('stamps are texts, pictures or codes', () => {
	const watermark = tools.find((tool) => tool.slug === 'watermark-pdf');
	assert.ok(watermark);
	const payment = { name: 'Ada Lovelace', iban: 'DE89370400440532013000', amount: '49.90' };
	const rows = [{ text: 'Page {page}' }, { source: 2 }, { barcode: { type: 'epc', payment, size: 80 } }];
	const sent = optionsOf(watermark, { stamps: { rows } });
	const isValid = ajv.compile(schemaOf('watermark-pdf'));
	assert.ok(isValid(sent), ajv.errorsText(isValid.errors));
	assert.deepEqual(sent, {
		stamps: [rows[0], rows[1], { barcode: { type: 'epc', payment: { ...payment, amount: 49.9 }, size: 80 } }],
	});
});

test('all metadata or some of it is removed', () => {
	const edit = tools.find((tool) => tool.slug === 'edit-metadata');
	assert.ok(edit);
	assert.deepEqual(optionsOf(edit, { remove: ['all'] }), { remove: 'all' });
	assert.deepEqual(optionsOf(edit, { remove: ['Author', 'Producer'] }), { remove: ['Author', 'Producer'] });
});
