import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import type { StatusRow } from './store.ts';

const text = Type.String();

/** What a job, or somebody else, says of a commit (contract/runners.md §4.8). */
export const CommitStatus = entity('CommitStatus', {
  id: Type.Integer(),
  sha: text,
  ref: text,
  status: text,
  name: text,
  /** Null of jobs. */
  target_url: nullable(text),
  description: nullable(text),
  created_at: dateTime,
  started_at: nullable(dateTime),
  finished_at: nullable(dateTime),
  allow_failure: Type.Boolean(),
  coverage: nullable(Type.Number()),
  pipeline_id: Type.Integer(),
  /** Null once the account is gone. */
  author: nullable(UserBasic.schema),
}).from(
  (rows: readonly StatusRow[], { db }) =>
    loadUsersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ user_id, ...row }, to, authors) => {
    const author = authors.get(user_id ?? 0);
    // What is put together of two tables SQLite tells as a number.
    const allow_failure = Boolean(row.allow_failure);
    return { ...row, allow_failure, author: author === undefined ? null : UserBasic.serialize(author, to) };
  },
);
