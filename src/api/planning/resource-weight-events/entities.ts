import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { baseEventFields, loadEventUsers, serializeBaseEvent } from '../noteables/index.ts';
import type { WeightEventRow } from './store.ts';

/** A weight event (contract/planning.md §1 "WeightEvent"). */
export const WeightEvent = entity('WeightEvent', {
  ...baseEventFields,
  /** The global id of the issue. */
  issue_id: Type.Integer(),
  /** Null if it was cleared. */
  weight: nullable(Type.Integer()),
}).from(
  (rows: readonly WeightEventRow[], { db }) => loadEventUsers(db, rows),
  (row, context, users) => ({ ...serializeBaseEvent(row, context, users), issue_id: row.issue_id, weight: row.weight }),
);
