import { Commit, Diff } from '#api/code/commits/index.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page, stream } from '#http/endpoint/responses.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import { optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { NOT_KEPT } from '#repositories/raw-content.ts';
import { readingItsCode } from '../code-access.ts';
import { changesOf, commitsOf, currentSpan, rawChangesOf } from '../versions/versions.ts';
import { MergeRequestChanges } from './entities.ts';

/** What a merge request would bring in. */

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const listMergeRequestCommits = endpoint({
  get: `${MERGE_REQUEST}/commits`,
  summary: 'List the commits of a merge request, the newest first',
  access: readingItsCode(),
  response: page(Commit),
  read: async (db, { project, mergeRequest, page }, git) =>
    commitsOf(git, project, await currentSpan(db, git, project, mergeRequest), page),
});

export const listMergeRequestDiffs = endpoint({
  get: `${MERGE_REQUEST}/diffs`,
  summary: 'List the files that a merge request changes',
  access: readingItsCode(),
  params: { unidiff: optional(boolean, false) },
  response: page(Diff),
  read: async (db, { project, mergeRequest, page }, git) =>
    slice((await changesOf(git, project, await currentSpan(db, git, project, mergeRequest))).files, page),
});

export const readMergeRequestChanges = endpoint({
  get: `${MERGE_REQUEST}/changes`,
  summary: 'Read a merge request with all that it changes',
  access: readingItsCode(),
  params: { access_raw_diffs: optional(boolean, false), unidiff: optional(boolean, false) },
  response: ok(MergeRequestChanges),
  read: async (db, { project, mergeRequest, params }, git) => {
    const span = await currentSpan(db, git, project, mergeRequest);
    return { mergeRequest, diff: await changesOf(git, project, span, { whole: params.access_raw_diffs }) };
  },
});

export const readMergeRequestRawDiffs = endpoint({
  get: `${MERGE_REQUEST}/raw_diffs`,
  summary: 'Read what a merge request changes as git writes it',
  access: readingItsCode(),
  response: stream,
  async handle({ project, mergeRequest }, { database, git }) {
    const span = await currentSpan(database.current().reader, git, project, mergeRequest);
    const headers = { ...NOT_KEPT, 'Content-Type': 'text/plain; charset=utf-8' };
    return { headers, body: await rawChangesOf(git, project, span) };
  },
});
