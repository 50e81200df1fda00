import { Type } from 'typebox';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Columns, Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUABLE_KINDS, loadEventUsers, resourceEventFields, serializeResourceEvent } from '../noteables/index.ts';

/** A state event (contract/planning.md §1 "StateEvent"). */
const StateEvent = entity('StateEvent', {
  ...resourceEventFields,
  source_commit: nullable(Type.String({ description: 'SHA of the commit that closed the issue.' })),
  source_merge_request_id: nullable(
    Type.Integer({ description: 'Global ID of the merge request whose merge closed the issue.' }),
  ),
  state: Type.String({ description: 'The new state: `opened`, `closed` or `merged`.' }),
})
  .columns('source_commit', 'source_merge_request_id', 'state')
  .from(
    (rows: readonly StateEventRow[], { db }) => loadEventUsers(db, rows),
    (row, context, users) => serializeResourceEvent(row, context, users),
  );

// State events of issues, merge requests and epics (contract/planning.md §2.2).

export const [listIssueStateEvents, listMergeRequestStateEvents, listEpicStateEvents] = forNoteables(
  ISSUABLE_KINDS,
  (kind) =>
    endpoint({
      get: `${kind.path}/resource_state_events`,
      summary: `List state events of ${kind.nounWithArticle}`,
      description: 'Lists each change of the state, oldest first. Creation is no event.',
      access: kind.readAccess(),
      response: page(StateEvent),
      read: (db, { noteable, page }) =>
        paginate(db, selectEvents(db, noteable).orderBy('resource_state_events.id', 'asc'), page),
    }),
);

export const [getIssueStateEvent, getMergeRequestStateEvent, getEpicStateEvent] = forNoteables(ISSUABLE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_state_events/:resource_state_event_id`,
    summary: `Get a state event of ${kind.nounWithArticle}`,
    description: 'Returns one event. Answers 404 if it belongs to another object.',
    access: kind.readAccess(),
    params: { resource_state_event_id: required(integer) },
    errors: { notFound: NOT_FOUND },
    response: ok(StateEvent),
    read: async (db, { noteable, params }) =>
      (await selectEvents(db, noteable)
        .where('resource_state_events.id', '=', params.resource_state_event_id)
        .executeTakeFirst()) ?? fail('notFound'),
  }),
);

type StateEventRow = Columns<'resource_state_events'>;

/**
 * Selects the events of the noteable.
 * index: resource_state_events_by_issue, resource_state_events_by_merge_request, resource_state_events_by_epic
 */
function selectEvents(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_state_events').selectAll().where(getForeignKeyColumn(type), '=', id);
}
