import { Commit, Diff } from '#api/code/commits/index.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page, streamOf } from '#http/endpoint/responses.ts';
import { paginateInMemory } from '#http/lists/in-memory-page.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { NO_STORE_HEADERS } from '#repositories/raw-content.ts';
import { mergeRequestCodeAccess } from '../code-access.ts';
import { diffComparison, listComparisonCommits, loadCurrentComparison, readRawDiff } from '../versions/versions.ts';
import { MergeRequestChanges } from './entities.ts';

/** Commits and changes of a merge request. */

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const listMergeRequestCommits = endpoint({
  get: `${MERGE_REQUEST}/commits`,
  summary: 'List the commits of a merge request',
  access: mergeRequestCodeAccess(),
  response: page(Commit),
  read: async (db, { project, mergeRequest, page }, git) =>
    listComparisonCommits(git, project, await loadCurrentComparison(db, git, project, mergeRequest), page),
});

export const listMergeRequestDiffs = endpoint({
  get: `${MERGE_REQUEST}/diffs`,
  summary: 'List the diffs of a merge request',
  access: mergeRequestCodeAccess(),
  params: { unidiff: optional(boolean, false) },
  response: page(Diff),
  read: async (db, { project, mergeRequest, page }, git) =>
    paginateInMemory(
      (await diffComparison(git, project, await loadCurrentComparison(db, git, project, mergeRequest))).files,
      page,
    ),
});

export const getMergeRequestChanges = endpoint({
  get: `${MERGE_REQUEST}/changes`,
  summary: 'Get a merge request with its changes',
  access: mergeRequestCodeAccess(),
  params: { access_raw_diffs: optional(boolean, false), unidiff: optional(boolean, false) },
  response: ok(MergeRequestChanges),
  read: async (db, { project, mergeRequest, params }, git) => {
    const comparison = await loadCurrentComparison(db, git, project, mergeRequest);
    return { mergeRequest, diff: await diffComparison(git, project, comparison, { whole: params.access_raw_diffs }) };
  },
});

export const getMergeRequestRawDiffs = endpoint({
  get: `${MERGE_REQUEST}/raw_diffs`,
  summary: 'Get the raw diff of a merge request',
  access: mergeRequestCodeAccess(),
  response: streamOf({ mediaTypes: ['text/plain'] }),
  async handle({ project, mergeRequest }, { database, git }) {
    const comparison = await loadCurrentComparison(database.forRequest().reader, git, project, mergeRequest);
    const headers = { ...NO_STORE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' };
    return { headers, body: await readRawDiff(git, project, comparison) };
  },
});
