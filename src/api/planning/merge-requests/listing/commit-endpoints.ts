import { namedCommit } from '#api/code/commits/index.ts';
import { mayReadMergeRequests } from '#authorization/merge-requests.ts';
import { inPublicProject, orRepositoryGone } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { MergeRequestInList } from '../entities.ts';
import { mergeRequestsOfCommit } from './commit-merge-requests.ts';

/** Which merge requests a commit is in. */

export const listCommitMergeRequests = endpoint({
  get: '/projects/:id/repository/commits/:sha/merge_requests',
  summary: 'List the merge requests that have brought a commit, or would',
  access: inPublicProject('read_code', orRepositoryGone)
    .resource(namedCommit)
    .require(({ caller }, { project }) => {
      if (!mayReadMergeRequests(caller, project)) throw forbidden();
    }, 'project:read_code, read_merge_request (public)'),
  params: { state: optional(string) },
  response: page(MergeRequestInList),
  read: (db, { project, commit, caller, params, page }, git) =>
    mergeRequestsOfCommit(db, git, caller, project, { sha: commit.id, state: params.state }, page),
});
