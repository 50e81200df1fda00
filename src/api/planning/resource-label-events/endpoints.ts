import { forThings } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { eventIdOf, THINGS } from '../noteables/index.ts';
import { LabelEvent } from './entities.ts';
import { findLabelEvent, listLabelEvents } from './store.ts';

// Which labels were put on things and taken off them (contract/planning.md §3.11).

export const [listIssueLabelEvents, listMergeRequestLabelEvents, listEpicLabelEvents] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_label_events`,
    summary: `List the changes of ${kind.aThing}'s labels`,
    access: kind.reading(),
    response: page(LabelEvent),
    read: (db, { thing, caller, page }) => listLabelEvents(db, caller, thing, page),
  }),
);

export const [readIssueLabelEvent, readMergeRequestLabelEvent, readEpicLabelEvent] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_label_events/:event_id`,
    summary: `One change of ${kind.aThing}'s labels`,
    access: kind.reading(),
    errors: { notFound: NOT_FOUND, unread: [404, '404 ResourceLabelEvent Not Found'] },
    response: ok(LabelEvent),
    read: (db, { thing, caller, params }) => findLabelEvent(db, caller, thing, eventIdOf(params)),
  }),
);
