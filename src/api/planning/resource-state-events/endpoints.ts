import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUABLE_KINDS } from '../noteables/index.ts';
import { StateEvent } from './entities.ts';
import { findStateEvent, listStateEvents } from './store.ts';

// State events of issues, merge requests and epics (contract/planning.md §2.2).

export const [listIssueStateEvents, listMergeRequestStateEvents, listEpicStateEvents] = forNoteables(
  ISSUABLE_KINDS,
  (kind) =>
    endpoint({
      get: `${kind.path}/resource_state_events`,
      summary: `List state events of ${kind.nounWithArticle}`,
      access: kind.readAccess(),
      response: page(StateEvent),
      read: (db, { noteable, page }) => listStateEvents(db, noteable, page),
    }),
);

export const [getIssueStateEvent, getMergeRequestStateEvent, getEpicStateEvent] = forNoteables(ISSUABLE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_state_events/:resource_state_event_id`,
    summary: `Get a state event of ${kind.nounWithArticle}`,
    access: kind.readAccess(),
    params: { resource_state_event_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(StateEvent),
    read: async (db, { noteable, params }) =>
      (await findStateEvent(db, noteable, params.resource_state_event_id)) ?? fail('notFound'),
  }),
);
