import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { ISSUABLE_KINDS, parseEventId } from '../noteables/index.ts';
import { LabelEvent } from './entities.ts';
import { findLabelEvent, listLabelEvents } from './store.ts';

// Label events of issues, merge requests and epics (contract/planning.md §3.11).

export const [listIssueLabelEvents, listMergeRequestLabelEvents, listEpicLabelEvents] = forNoteables(
  ISSUABLE_KINDS,
  (kind) =>
    endpoint({
      get: `${kind.path}/resource_label_events`,
      summary: `List label events of ${kind.nounWithArticle}`,
      access: kind.readAccess(),
      response: page(LabelEvent),
      read: (db, { noteable, caller, page }) => listLabelEvents(db, caller, noteable, page),
    }),
);

export const [getIssueLabelEvent, getMergeRequestLabelEvent, getEpicLabelEvent] = forNoteables(ISSUABLE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_label_events/:event_id`,
    summary: `Get a label event of ${kind.nounWithArticle}`,
    access: kind.readAccess(),
    errors: { notFound: NOT_FOUND, labelHidden: [404, '404 ResourceLabelEvent Not Found'] },
    response: ok(LabelEvent),
    read: (db, { noteable, caller, params }) => findLabelEvent(db, caller, noteable, parseEventId(params)),
  }),
);
