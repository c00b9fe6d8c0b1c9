import type { INodeProperties } from 'n8n-workflow';

/** How the value of a field becomes the value of an option. */
export type Shape =
	| 'value'
	/** Text, sent as a number if it is one: `210mm`, `800`. */
	| 'measure'
	/** Text such as `72, 96, 300, 110`, sent as a list of numbers. */
	| 'numbers'
	/** JSON, as text or as the value of an expression. */
	| 'json'
	/** Rows of names and values, sent as an object. */
	| 'names'
	/** One of several forms, or a list of them. */
	| 'form'
	| 'forms'
	/** A list of words. A single word in `alone` is sent without the list. */
	| { alone: string[] }
	/** A collection, sent as an object. */
	| { object: Record<string, Shape> }
	/** Rows of fields, sent as a list of objects. */
	| { rows: Record<string, Shape> };

export type SourceKind = 'sourceUrl' | 'url' | 'uploadId' | 'jobId' | 'template' | 'html' | 'markdown';

/** A tool of the catalogue, as the node shows and calls it. */
export interface Tool {
	slug: string;
	name: string;
	description: string;
	category: string;
	/** The kinds of sources that it takes, and what a source can tell besides. */
	kinds: SourceKind[];
	sourceProperties: string[];
	/** How many sources one job takes. */
	most: number;
	/** Whether the sources are equal, so that those of all items can go into one job. */
	joins: boolean;
	/** The shapes of options that are not plain values. */
	shapes: Record<string, Shape>;
	/** The options that have a field of their own; the others are in the collection `options`. */
	ownFields: string[];
	fields: INodeProperties[];
}
