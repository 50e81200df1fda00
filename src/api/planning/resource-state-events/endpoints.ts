import { forThings } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { THINGS } from '../noteables/index.ts';
import { StateEvent } from './entities.ts';
import { findStateEvent, listStateEvents } from './store.ts';

// When issues, merge requests and epics were closed and opened again (contract/planning.md §2.2).

export const [listIssueStateEvents, listMergeRequestStateEvents, listEpicStateEvents] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_state_events`,
    summary: `List the changes of ${kind.aThing}'s state`,
    access: kind.reading(),
    response: page(StateEvent),
    read: (db, { thing, page }) => listStateEvents(db, thing, page),
  }),
);

export const [readIssueStateEvent, readMergeRequestStateEvent, readEpicStateEvent] = forThings(THINGS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_state_events/:resource_state_event_id`,
    summary: `One change of ${kind.aThing}'s state`,
    access: kind.reading(),
    params: { resource_state_event_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(StateEvent),
    read: async (db, { thing, params }) =>
      (await findStateEvent(db, thing, params.resource_state_event_id)) ?? fail('notFound'),
  }),
);
