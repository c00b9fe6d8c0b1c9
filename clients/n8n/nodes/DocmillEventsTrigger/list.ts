// The list of events, read from where the poll before has ended.

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { call } from '../Docmill/api';
import { ALL } from '../DocmillTrigger/events';

interface Position extends IDataObject {
	/** The id of the last event that was read. An account without events has none. */
	cursor?: string;
	/** Whether the end of the list was reached once, so that further events are new. */
	started?: boolean;
}

interface Page {
	events: (IDataObject & { id: string; type: string })[];
	hasMore: boolean;
	nextCursor?: string;
}

/** A poll reads 1,000 events at most. The next one goes on. */
const MOST_PAGES = 10;
/** Shown if a person tries the trigger in the editor. */
const SAMPLES = 5;

/** Events since the poll before. The first poll only finds the end of the list, which may go back 30 days. */
export async function newEvents(poll: IPollFunctions): Promise<IDataObject[]> {
	const isTry = poll.getMode() === 'manual';
	const position: Position = isTry ? {} : poll.getWorkflowStaticData('node');
	const wanted = poll.getNodeParameter('events', []) as string[];
	const found: IDataObject[] = [];
	for (let pages = 0; pages < MOST_PAGES || !position.started; pages += 1) {
		const page = await pageAfter(poll, position.cursor);
		position.cursor = page.nextCursor ?? position.cursor;
		const fitting = page.events.filter((event) => wanted.includes(ALL) || wanted.includes(event.type));
		if (isTry || position.started) found.push(...fitting.map(({ id, ...event }) => ({ eventId: id, ...event })));
		if (!page.hasMore) break;
	}
	position.started = true;
	return isTry ? found.slice(-SAMPLES) : found;
}

async function pageAfter(poll: IPollFunctions, cursor?: string): Promise<Page> {
	const query = new URLSearchParams({ limit: '100', ...(cursor && { after: cursor }) });
	const { body } = await call(poll, { method: 'GET', path: `/v1/events?${query}` });
	return body as unknown as Page;
}
