import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { shownStep, stepFields, stepUsers } from '../noteables/index.ts';
import type { StateEventRow } from './store.ts';

/** contract/planning.md §1 "StateEvent" */
export const StateEvent = entity('StateEvent', {
  ...stepFields,
  source_commit: nullable(Type.String()),
  source_merge_request_id: nullable(Type.Integer()),
  state: Type.String(),
}).from(
  (rows: readonly StateEventRow[], { db }) => stepUsers(db, rows),
  (row, to, users) => ({
    ...shownStep(row, to, users),
    source_commit: row.source_commit,
    source_merge_request_id: row.source_merge_request_id,
    state: row.state,
  }),
);
