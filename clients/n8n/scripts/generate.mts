// Writes nodes/Docmill/tools from the catalogue and the schemas of options, one file for each tool.
//
//   node scripts/generate.mts           writes the files
//   node scripts/generate.mts --check   compares them, and fails if they are not those of the schemas

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import prettier from 'prettier';
import type { SourceKind, Tool } from '../nodes/Docmill/tool.ts';
import { field, fields, sorted, type Schema } from './fields.mts';
import { action, description, title, titled } from './words.mts';

interface CatalogueEntry {
	slug: string;
	name: string;
	description: string;
	category: string;
	sources: { kinds: SourceKind[]; properties: string[]; most?: number; attachments?: number; roles?: boolean };
	secrets?: { values?: string[] };
}

type Options = Schema & { properties?: Record<string, Schema> };

const SCHEMAS = join(import.meta.dirname, '../../../shared/tools');
const TARGET = join(import.meta.dirname, '../nodes/Docmill/tools');
/** Every job can name its result: one field of the node does it for all tools. */
const FIELDS_OF_ALL_TOOLS = ['filename'];

function tool(slug: string): Tool {
	const entry = json<CatalogueEntry>(`${slug}.json`);
	const schema = json<Options>(`${slug}.options.json`);
	const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !FIELDS_OF_ALL_TOOLS.includes(name));
	const secrets = new Set(entry.secrets?.values ?? []);
	const isSecret = (name: string) => secrets.has(name) || /password/i.test(name);
	const made = fields(Object.fromEntries(properties), isSecret);
	const ownFields = prominent(schema).filter((name) => !FIELDS_OF_ALL_TOOLS.includes(name));
	const { most, attachments, roles } = entry.sources;
	return {
		slug,
		name: entry.name,
		description: description(entry.description),
		category: entry.category,
		kinds: entry.sources.kinds,
		sourceProperties: entry.sources.properties,
		most: most ?? (attachments ?? 0) + 1,
		joins: most !== undefined && !roles,
		shapes: made.shapes,
		ownFields,
		fields: shown(entry, [
			...ownFields.map((name) => ownField(name, schema, isSecret)),
			...collection(made.options.filter((option) => !ownFields.includes(option.name))),
		]),
	};
}

/** Options that a job can't do without: required, required in part, or in the example without a default. */
function prominent(schema: Options): string[] {
	// A rule that most jobs obey without any of its options is no reason to ask for them.
	const rules = (schema.allOf ?? [])
		.map((rule) => rule.anyOf ?? [])
		.filter((forms) => forms.every((form) => form.required));
	const partly = rules.flat().flatMap((form) => form.required ?? []);
	const examples = Object.keys((schema.examples?.[0] as object | undefined) ?? {});
	const typical = examples.filter((name) => schema.properties?.[name]?.default === undefined);
	return [...new Set([...(schema.required ?? []), ...partly, ...typical])];
}

function ownField(name: string, schema: Options, isSecret: (name: string) => boolean): INodeProperties {
	const { property } = field(name, schema.properties?.[name] ?? {}, isSecret);
	return schema.required?.includes(name) ? { ...property, required: true } : property;
}

function collection(options: INodeProperties[]): INodeProperties[] {
	if (options.length === 0) return [];
	return [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options,
		},
	];
}

function shown(entry: CatalogueEntry, properties: INodeProperties[]): INodeProperties[] {
	const displayOptions = { show: { resource: [entry.category], operation: [entry.slug] } };
	return properties.map((property) => ({ ...property, displayOptions }));
}

/** The choice of a category, and the choice of a tool for each of them. */
function operationFields(tools: Tool[]): INodeProperties[] {
	const categories = [...new Set(tools.map((each) => each.category))];
	const resources = [...categories, 'job'].map((category) => ({ name: title(category), value: category }));
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: sorted(resources, (option) => option.name),
		default: 'office',
	};
	return [resource, ...categories.map((category) => operationField(category, tools))];
}

function operationField(category: string, tools: Tool[]): INodeProperties {
	const options = tools
		.filter((each) => each.category === category)
		.map(({ name, slug, description }) => ({ name: titled(name), value: slug, description, action: action(name) }))
		.sort((one, other) => one.name.localeCompare(other.name));
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [category] } },
		options,
		default: options[0]?.value ?? '',
	};
}

function json<T>(name: string): T {
	return JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8')) as T;
}

function identifier(slug: string): string {
	return slug.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function files(): Promise<Map<string, string>> {
	const style = await prettier.resolveConfig(import.meta.filename);
	const formatted = (source: string) => prettier.format(source, { ...style, parser: 'typescript' });
	const slugs = readdirSync(SCHEMAS)
		.filter((name) => /^[a-z-]+\.json$/.test(name))
		.map((name) => name.replace('.json', ''))
		.sort();
	const written = new Map<string, string>();
	for (const slug of slugs) {
		const source = `// Made from shared/tools/${slug}.json and its options by scripts/generate.mts.

import type { Tool } from '../tool';

export const ${identifier(slug)}: Tool = ${JSON.stringify(tool(slug))};
`;
		written.set(`${slug}.ts`, await formatted(source));
	}
	const index = `// Made from shared/tools by scripts/generate.mts.

import type { Tool } from '../tool';
${slugs.map((slug) => `import { ${identifier(slug)} } from './${slug}';`).join('\n')}

export const tools: Tool[] = [${slugs.map(identifier).join(', ')}];
`;
	written.set('index.ts', await formatted(index));
	const operations = `// Made from shared/tools by scripts/generate.mts.

import type { INodeProperties } from 'n8n-workflow';

export const operations: INodeProperties[] = ${JSON.stringify(operationFields(slugs.map(tool)))};
`;
	return written.set('operations.ts', await formatted(operations));
}

function differing(made: Map<string, string>): string[] {
	const present = readdirSync(TARGET);
	const unwanted = present.filter((name) => !made.has(name));
	const wrong = [...made].filter(
		([name, text]) => !present.includes(name) || readFileSync(join(TARGET, name), 'utf8') !== text,
	);
	return [...unwanted, ...wrong.map(([name]) => name)];
}

const made = await files();
if (process.argv.includes('--check')) {
	const names = differing(made);
	if (names.length > 0) {
		console.error(
			`Error: nodes/Docmill/tools is not made from the current schemas: ${names.join(', ')}. Run clients/n8n/generate.sh.`,
		);
		process.exit(1);
	}
} else {
	rmSync(TARGET, { recursive: true, force: true });
	mkdirSync(TARGET, { recursive: true });
	for (const [name, text] of made) writeFileSync(join(TARGET, name), text);
}
