import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { REVIEW_STATES } from '#database/schema.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import type { ReviewerRow } from './store.ts';

/** A reviewer of a merge request, with their review state. */
export const Reviewer = entity('Reviewer', {
  user: UserBasic.schema,
  state: Type.Enum([...REVIEW_STATES]),
  created_at: dateTime,
}).from(
  (rows: readonly ReviewerRow[], { db }) =>
    loadUsersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ user_id, state, created_at }, context, usersById) => ({
    user: UserBasic.serialize(requireRow(usersById.get(user_id)), context),
    state,
    created_at,
  }),
);
