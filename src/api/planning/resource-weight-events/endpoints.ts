import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { fail } from '#runtime/failure.ts';
import { issueNoteable } from '../issues/index.ts';
import { parseEventId } from '../noteables/index.ts';
import { WeightEvent } from './entities.ts';
import { findWeightEvent, listWeightEvents } from './store.ts';

// Weight events of issues (contract/planning.md §3.11).

export const listIssueWeightEvents = endpoint({
  get: `${issueNoteable.path}/resource_weight_events`,
  summary: 'List weight events of an issue',
  access: issueNoteable.readAccess(),
  response: page(WeightEvent),
  read: (db, { noteable, page }) => listWeightEvents(db, noteable.id, page),
});

export const getIssueWeightEvent = endpoint({
  get: `${issueNoteable.path}/resource_weight_events/:event_id`,
  summary: 'Get a weight event of an issue',
  access: issueNoteable.readAccess(),
  errors: { notFound: NOT_FOUND },
  response: ok(WeightEvent),
  read: async (db, { noteable, params }) =>
    (await findWeightEvent(db, noteable.id, parseEventId(params))) ?? fail('notFound'),
});
