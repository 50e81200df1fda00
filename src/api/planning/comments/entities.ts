import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import type { NoteListRow, Position } from '../notes/index.ts';

const loadBodies = createTextLoader('notes', 'body');

/** A comment on a commit (contract/planning.md §3.16). */
export const CommitNote = entity('CommitNote', {
  note: Type.String(),
  path: nullable(Type.String()),
  line: nullable(Type.Integer()),
  line_type: nullable(Type.Enum(['new', 'old'])),
  author: UserBasic.schema,
  created_at: dateTime,
}).from(
  async (notes: readonly NoteListRow[], { db }) => {
    const ids = notes.map(({ id }) => id);
    const authorIds = notes.map(({ author_id }) => author_id);
    const [usersById, bodiesById] = await Promise.all([loadUsersById(db, authorIds), loadBodies(db, ids)]);
    return { usersById, bodiesById };
  },
  ({ id, author_id, position, created_at }, context, { usersById, bodiesById }) => ({
    note: bodiesById.get(id) ?? '',
    ...toLineFields(position),
    author: UserBasic.serialize(requireRow(usersById.get(author_id)), context),
    created_at,
  }),
);

/** Returns the path and line of a position. The number of an unchanged line is the one after the commit. */
function toLineFields(position: string | null) {
  if (position === null) return { path: null, line: null, line_type: null };
  const { old_path, new_path, old_line = null, new_line = null } = JSON.parse(position) as Position;
  if (new_line === null && old_line !== null)
    return { path: old_path ?? new_path, line: old_line, line_type: 'old' as const };
  return { path: new_path ?? old_path, line: new_line, line_type: new_line === null ? null : ('new' as const) };
}
