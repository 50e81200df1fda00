import { Type } from 'typebox';
import { moment, nullable } from '../../../http/endpoint/answers.ts';
import { entity } from '../../../http/endpoint/entity.ts';
import { UserBasic, usersById } from '../../identity/users/index.ts';
import type { StateEventRow } from './store.ts';

/** contract/planning.md §1 "StateEvent" */
export const StateEvent = entity('StateEvent', {
  id: Type.Integer(),
  /** Null once the account is gone. */
  user: nullable(UserBasic.schema),
  created_at: moment,
  resource_type: Type.String(),
  resource_id: Type.Integer(),
  source_commit: nullable(Type.String()),
  source_merge_request_id: Type.Null(),
  state: Type.String(),
}).from(
  (rows: readonly StateEventRow[], { db }) =>
    usersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ id, user_id, created_at, issue_id, source_commit, state }, to, users) => {
    const user = users.get(user_id ?? 0);
    return {
      id,
      user: user === undefined ? null : UserBasic.one(user, to),
      created_at,
      resource_type: 'Issue',
      resource_id: issue_id!,
      source_commit,
      source_merge_request_id: null,
      state,
    };
  },
);
