import { Type } from 'typebox';
import type { Columns, Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { fail } from '#runtime/failure.ts';
import { issueNoteable } from '../issues/index.ts';
import { baseEventFields, loadEventUsers, parseEventId, serializeBaseEvent } from '../noteables/index.ts';

/** A weight event (contract/planning.md §1 "WeightEvent"). */
const WeightEvent = entity('WeightEvent', {
  ...baseEventFields,
  issue_id: Type.Integer({ description: 'The global ID, not the `iid`.' }),
  weight: nullable(Type.Integer({ description: 'The new weight; null if it was removed.' })),
}).from(
  (rows: readonly WeightEventRow[], { db }) => loadEventUsers(db, rows),
  (row, context, users) => ({ ...serializeBaseEvent(row, context, users), issue_id: row.issue_id, weight: row.weight }),
);

// Weight events of issues (contract/planning.md §3.11).

export const listIssueWeightEvents = endpoint({
  get: `${issueNoteable.path}/resource_weight_events`,
  summary: 'List weight events of an issue',
  description:
    'Lists each change of the weight, oldest first. The list is empty on the free tier, where weights are ignored.',
  access: issueNoteable.readAccess(),
  response: page(WeightEvent),
  read: (db, { noteable, page }) =>
    paginate(db, selectEvents(db, noteable.id).orderBy('resource_weight_events.id', 'asc'), page),
});

export const getIssueWeightEvent = endpoint({
  get: `${issueNoteable.path}/resource_weight_events/:event_id`,
  summary: 'Get a weight event of an issue',
  description: 'Returns one event. Answers 404 for an ID that is not a number.',
  access: issueNoteable.readAccess(),
  errors: { notFound: NOT_FOUND },
  response: ok(WeightEvent),
  read: async (db, { noteable, params }) =>
    (await selectEvents(db, noteable.id)
      .where('resource_weight_events.id', '=', parseEventId(params))
      .executeTakeFirst()) ?? fail('notFound'),
});

type WeightEventRow = Columns<'resource_weight_events'>;

/** Selects the weight events of the issue. index: resource_weight_events_by_issue */
function selectEvents(db: Reader, issueId: number) {
  return db.selectFrom('resource_weight_events').selectAll().where('issue_id', '=', issueId);
}
