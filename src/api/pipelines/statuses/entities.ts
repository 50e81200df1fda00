import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import type { StatusRow } from './store.ts';

const text = Type.String();

/** The status of a commit, from a job or an external system (contract/runners.md §4.8). */
export const CommitStatus = entity('CommitStatus', {
  id: Type.Integer(),
  sha: text,
  ref: text,
  status: text,
  name: text,
  /** Null for jobs. */
  target_url: nullable(text),
  description: nullable(text),
  created_at: dateTime,
  started_at: nullable(dateTime),
  finished_at: nullable(dateTime),
  allow_failure: Type.Boolean(),
  coverage: nullable(Type.Number()),
  pipeline_id: Type.Integer(),
  /** Null if the account was deleted. */
  author: nullable(UserBasic.schema),
}).from(
  (rows: readonly StatusRow[], { db }) =>
    loadUsersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
  ({ user_id, ...row }, context, authors) => {
    const author = authors.get(user_id ?? 0);
    // SQLite returns booleans of a union as numbers.
    const allow_failure = Boolean(row.allow_failure);
    return { ...row, allow_failure, author: author === undefined ? null : UserBasic.serialize(author, context) };
  },
);
