import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { loadEventUsers, resourceEventFields, serializeResourceEvent } from '../noteables/index.ts';
import type { StateEventRow } from './store.ts';

/** A state event (contract/planning.md §1 "StateEvent"). */
export const StateEvent = entity('StateEvent', {
  ...resourceEventFields,
  source_commit: nullable(Type.String()),
  source_merge_request_id: nullable(Type.Integer()),
  state: Type.String(),
})
  .columns('source_commit', 'source_merge_request_id', 'state')
  .from(
    (rows: readonly StateEventRow[], { db }) => loadEventUsers(db, rows),
    (row, context, users) => serializeResourceEvent(row, context, users),
  );
