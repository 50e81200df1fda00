import type { Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { signedInMergeRequestCodeAccess } from '../merge-requests/index.ts';
import { Version, VersionInList } from './entities.ts';

// Versions of a merge request (contract/planning.md §3.8 "Versions").

/** index: merge_request_versions_by_merge_request */
const selectVersions = (db: Reader, mergeRequestId: number) =>
  db
    .selectFrom('merge_request_versions')
    .select(['id', 'merge_request_id', 'state', 'real_size', 'patch_id_sha', 'created_at'])
    .select(['base_commit_sha', 'head_commit_sha', 'start_commit_sha'])
    .where('merge_request_id', '=', mergeRequestId);

const VERSIONS = '/projects/:id/merge_requests/:merge_request_iid/versions';

export const listMergeRequestVersions = endpoint({
  get: VERSIONS,
  summary: 'List the versions of a merge request',
  description:
    'Returns one version for each head of the source branch and for each change of the target branch, newest first.',
  access: signedInMergeRequestCodeAccess(),
  response: page(VersionInList),
  async read(db, { project, mergeRequest, page }) {
    const result = await paginate(
      db,
      selectVersions(db, mergeRequest.id).orderBy('merge_request_versions.id', 'desc'),
      page,
    );
    return { ...result, items: result.items.map((version) => ({ version, project, mergeRequest })) };
  },
});

export const getMergeRequestVersion = endpoint({
  get: `${VERSIONS}/:version_id`,
  summary: 'Get a version of a merge request',
  description: 'Returns the version with at most 1000 commits, newest first, and its changed files.',
  access: signedInMergeRequestCodeAccess(),
  params: {
    version_id: required(integer),
    unidiff: describe(optional(boolean, false), 'Adds the header lines of the unified diff format to each diff.'),
  },
  errors: { notFound: NOT_FOUND },
  response: ok(Version),
  async read(db, { project, mergeRequest, params }) {
    const version = await selectVersions(db, mergeRequest.id).where('id', '=', params.version_id).executeTakeFirst();
    return version === undefined ? fail('notFound') : { version, project, mergeRequest };
  },
});
