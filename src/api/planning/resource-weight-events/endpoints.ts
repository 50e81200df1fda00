import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { fail } from '#runtime/failure.ts';
import { issueThing } from '../issues/index.ts';
import { eventIdOf } from '../noteables/index.ts';
import { WeightEvent } from './entities.ts';
import { findWeightEvent, listWeightEvents } from './store.ts';

// Which weights issues were given and lost (contract/planning.md §3.11).

export const listIssueWeightEvents = endpoint({
  get: `${issueThing.path}/resource_weight_events`,
  summary: "List the changes of an issue's weight",
  access: issueThing.reading(),
  response: page(WeightEvent),
  read: (db, { thing, page }) => listWeightEvents(db, thing.id, page),
});

export const readIssueWeightEvent = endpoint({
  get: `${issueThing.path}/resource_weight_events/:event_id`,
  summary: "One change of an issue's weight",
  access: issueThing.reading(),
  errors: { notFound: NOT_FOUND },
  response: ok(WeightEvent),
  read: async (db, { thing, params }) => (await findWeightEvent(db, thing.id, eventIdOf(params))) ?? fail('notFound'),
});
