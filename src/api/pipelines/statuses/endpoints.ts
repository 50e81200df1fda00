import { Type } from 'typebox';
import { commitResource } from '#api/code/commits/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, nullable, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, integer, number, oneOf } from '#http/parameters/types.ts';
import { createOrUpdateStatus } from './create.ts';
import { listStatuses, type StatusRow } from './store.ts';

const text = Type.String();

/** The status of a commit, from a job or an external system (contract/runners.md §4.8). */
const CommitStatus = entity('CommitStatus', {
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

/** Statuses of commits (contract/runners.md §4.8). */

export const listCommitStatuses = endpoint({
  get: '/projects/:id/repository/commits/:sha/statuses',
  summary: 'List the statuses of a commit',
  access: inProject('read_pipeline').resource(commitResource),
  params: {
    ref: optional(refName),
    stage: optional(shortText),
    name: optional(shortText),
    pipeline_id: optional(integer),
    all: optional(boolean, false),
    order_by: optional(oneOf('id', 'pipeline_id'), 'id'),
    sort: optional(oneOf('asc', 'desc'), 'asc'),
  },
  response: page(CommitStatus),
  read: (db, { project, commit, params, page }) => listStatuses(db, project.id, commit.id, params, page),
});

const NAME_TAKEN = { name: ['has already been taken'] };

export const createCommitStatus = endpoint({
  post: '/projects/:id/statuses/:sha',
  summary: 'Set a commit status',
  access: inProject('update_pipeline').resource(commitResource),
  params: {
    state: required(oneOf('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    ref: optional(absentIfBlank(refName)),
    name: optional(absentIfBlank(shortText)),
    context: optional(absentIfBlank(shortText)),
    target_url: optional(absentIfBlank(shortText)),
    description: optional(string),
    coverage: optional(number),
    pipeline_id: optional(integer),
  },
  errors: {
    invalid: INVALID,
    noRef: [404, '404 References for commit Not Found'],
    notAllowed: FORBIDDEN,
    noPipeline: [404, '404 Pipeline for pipeline_id, sha and ref Not Found'],
    nameTaken: [400, { message: NAME_TAKEN }],
    invalidTransition: [
      400,
      'Cannot transition status via :{event} from :{from} (Reason(s): Status cannot transition via "{event}")',
    ],
    lockTimeout: [409, 'Another update to this commit status is in progress'],
  },
  response: created(CommitStatus),
  handle: ({ project, caller, commit, params, base, request }, services) =>
    createOrUpdateStatus(services, { caller, client: request.client, baseUrl: base.url }, project, {
      ...params,
      sha: commit.id,
    }),
});
