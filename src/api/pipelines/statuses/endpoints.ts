import { commitResource } from '#api/code/commits/index.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, integer, number, oneOf } from '#http/parameters/types.ts';
import { createOrUpdateStatus } from './create.ts';
import { CommitStatus } from './entities.ts';
import { listStatuses } from './store.ts';

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
