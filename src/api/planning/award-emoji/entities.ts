import { Type } from 'typebox';
import { resourceOfRow } from '#activity/index.ts';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { ghostId } from '#authentication/users/deletion.ts';
import { stillThere } from '#domain/row-deleted.ts';
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
  /** The global id. */
  awardable_id: Type.Integer(),
  awardable_type: Type.Enum(['Issue', 'MergeRequest', 'Epic', 'Note']),
  /** There are no emoji of people's own. */
  url: Type.Null(),
}).from(
  async (rows: readonly AwardRow[], { db }) => {
    // Of those who are gone the ghost has it.
    const ghost = rows.some(({ user_id }) => user_id === null) ? await ghostId(db) : null;
    return { ghost, users: await usersById(db, [ghost, ...rows.map(({ user_id }) => user_id)]) };
  },
  (row, to, { ghost, users }) => {
    const on = row.note_id === null ? resourceOfRow(row) : ({ type: 'Note', id: row.note_id } as const);
    return {
      id: row.id,
      name: row.name,
      user: UserBasic.serialize(stillThere(users.get(row.user_id ?? ghost ?? 0)), to),
      created_at: row.created_at,
      updated_at: row.updated_at,
      awardable_id: on.id,
      awardable_type: on.type,
      url: null,
    };
  },
);
