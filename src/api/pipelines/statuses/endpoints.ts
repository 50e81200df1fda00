import { Type } from 'typebox';
import { commitResource } from '#api/code/commits/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, nullable, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
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
  target_url: nullable(Type.String({ description: 'Null for jobs.' })),
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

export const listCommitStatuses = endpoint({
  get: '/projects/:id/repository/commits/:sha/statuses',
  summary: 'List the statuses of a commit',
  description:
    'Returns the statuses that external systems have set and the jobs of all pipelines of the commit, as one list.',
  access: inProject('read_pipeline').resource(commitResource),
  params: {
    ref: optional(refName),
    stage: optional(shortText),
    name: optional(shortText),
    pipeline_id: optional(integer),
    all: describe(optional(boolean, false), 'Whether to include statuses and jobs that were replaced by newer ones.'),
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
  description:
    'Adds the status to `pipeline_id` or the newest pipeline of the commit, else to a new pipeline with the source `external`. An unfinished status of the same name and caller is updated; other statuses with this name count as retried. The status of the pipeline is computed from its jobs and statuses. Answers 409 if other updates of the project take longer than 10 seconds.',
  access: inProject('update_pipeline').resource(commitResource),
  params: {
    state: required(oneOf('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
    ref: describe(
      optional(absentIfBlank(refName)),
      'Branch or tag; absent: that of the newest pipeline of the commit, else the first branch that contains it.',
    ),
    name: describe(optional(absentIfBlank(shortText)), 'Name of the status; absent: `default`.'),
    context: describe(optional(absentIfBlank(shortText)), 'Alias of `name`, which takes precedence.'),
    target_url: describe(optional(absentIfBlank(shortText)), 'HTTP or HTTPS URL of the result.'),
    description: optional(string),
    coverage: describe(optional(number), 'Test coverage in percent.'),
    pipeline_id: describe(optional(integer), 'Id of a pipeline of this commit and ref.'),
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
