import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { shownStepper, stepperFields, stepUsers } from '../noteables/index.ts';
import type { WeightEventRow } from './store.ts';

/** contract/planning.md §1 "WeightEvent" */
export const WeightEvent = entity('WeightEvent', {
  ...stepperFields,
  /** The global id. */
  issue_id: Type.Integer(),
  /** Null: it was cleared. */
  weight: nullable(Type.Integer()),
}).from(
  (rows: readonly WeightEventRow[], { db }) => stepUsers(db, rows),
  (row, to, users) => ({ ...shownStepper(row, to, users), issue_id: row.issue_id, weight: row.weight }),
);
