import { commitResource } from '#api/code/commits/index.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { MergeRequestInList } from '../entities.ts';
import { listMergeRequestsOfCommit } from './commit-merge-requests.ts';

/** Merge requests of a commit. */

export const listCommitMergeRequests = endpoint({
  get: '/projects/:id/repository/commits/:sha/merge_requests',
  summary: 'List the merge requests of a commit',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled)
    .resource(commitResource)
    .require(({ caller }, { project }) => {
      if (!mayReadMergeRequests(caller, project)) throw forbidden();
    })
    .withLabel('project:read_code, read_merge_request (public)'),
  params: { state: optional(string) },
  response: page(MergeRequestInList),
  read: (db, { project, commit, caller, params, page }, git) =>
    listMergeRequestsOfCommit(db, git, caller, project, { sha: commit.id, state: params.state }, page),
});
