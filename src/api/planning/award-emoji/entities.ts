import { Type } from 'typebox';
import { toResource } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { getGhostUserId } from '#authentication/users/deletion.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import type { AwardRow } from '../awards/index.ts';

/** contract/planning.md §1 "AwardEmoji" */
export const AwardEmoji = entity('AwardEmoji', {
  id: Type.Integer(),
  name: Type.String(),
  user: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  /** The id of the issuable or note, not its iid. */
  awardable_id: Type.Integer(),
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Note']),
  /** Custom emoji are not supported. */
  url: Type.Null(),
})
  .columns('id', 'name', 'created_at', 'updated_at')
  .from(
    async (rows: readonly AwardRow[], { db }) => {
      // Awards of deleted users are shown as the ghost user's.
      const ghostUserId = rows.some(({ user_id }) => user_id === null) ? await getGhostUserId(db) : null;
      return { ghostUserId, usersById: await loadUsersById(db, [ghostUserId, ...rows.map(({ user_id }) => user_id)]) };
    },
    (row, context, { ghostUserId, usersById }) => {
      const awardable = row.note_id === null ? toResource(row) : ({ type: 'Note', id: row.note_id } as const);
      return {
        user: UserBasic.serialize(requireRow(usersById.get(row.user_id ?? ghostUserId ?? 0)), context),
        awardable_id: awardable.id,
        awardable_type: awardable.type,
        url: null,
      };
    },
  );
