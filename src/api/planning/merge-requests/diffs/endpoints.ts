import { Type } from 'typebox';
import { Commit, Diff, downloadPatch, type PatchFormat, paginateDiff, patchResponse } from '#api/code/commits/index.ts';
import type { MergeRequest as MergeRequestOfCaller } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Diff as GitDiff } from '#git/diff/diff.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok, page, type StreamReply } from '#http/endpoint/responses.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { mergeRequestCodeAccess } from '../access.ts';
import { MergeRequest } from '../entities.ts';
import {
  diffComparison,
  findDiffCommits,
  isTruncated,
  listComparisonCommits,
  loadCurrentComparison,
} from '../versions.ts';

interface MergeRequestWithDiff {
  readonly mergeRequest: MergeRequestOfCaller;
  readonly diff: GitDiff;
}

/** A merge request with the diffs of its files. */
const MergeRequestChanges = entity('MergeRequestChanges', {
  ...MergeRequest.schema.properties,
  changes: Type.Array(Diff.schema),
  overflow: Type.Boolean({ description: 'Whether size limits cut `changes`.' }),
}).from(
  async (rows: readonly MergeRequestWithDiff[], context) => {
    const mergeRequestJsons = await MergeRequest.serializeAll(
      rows.map(({ mergeRequest }) => mergeRequest),
      context,
    );
    return new Map(mergeRequestJsons.map((mergeRequestJson) => [mergeRequestJson.id, mergeRequestJson]));
  },
  ({ mergeRequest, diff }, context, mergeRequestJsonById) => ({
    ...mergeRequestJsonById.get(mergeRequest.id)!,
    changes: diff.files.map((file) => Diff.serialize(file, context)),
    overflow: isTruncated(diff),
  }),
);

const unidiff = describe(optional(boolean, false), 'Adds the header lines of the unified diff format to each diff.');

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

export const listMergeRequestCommits = endpoint({
  get: `${MERGE_REQUEST}/commits`,
  summary: 'List the commits of a merge request',
  description: 'Returns the commits of the latest version that the target branch lacks, newest first.',
  access: mergeRequestCodeAccess(),
  response: page(Commit),
  read: async (db, { project, mergeRequest, page }, git) =>
    listComparisonCommits(git, project, await loadCurrentComparison(db, git, project, mergeRequest), page),
});

export const listMergeRequestDiffs = endpoint({
  get: `${MERGE_REQUEST}/diffs`,
  summary: 'List the diffs of a merge request',
  description:
    'Returns the changed files of the latest version: the differences between the merge base and the head. The text of a very large file is left out, and `too_large` or `collapsed` is true.',
  access: mergeRequestCodeAccess(),
  params: { unidiff },
  response: page(Diff),
  read: async (db, { project, mergeRequest, page }, git) =>
    paginateDiff(await diffComparison(git, project, await loadCurrentComparison(db, git, project, mergeRequest)), page),
});

export const getMergeRequestChanges = endpoint({
  get: `${MERGE_REQUEST}/changes`,
  summary: 'Get a merge request with its changes',
  description:
    'Returns the merge request with the changed files of its latest version. `overflow` is true if size limits cut the changes.',
  access: mergeRequestCodeAccess(),
  params: {
    access_raw_diffs: describe(
      optional(boolean, false),
      'Raises the limits to three times as many files, four times as many lines and 1 MiB per file.',
    ),
    unidiff,
  },
  response: ok(MergeRequestChanges),
  read: async (db, { project, mergeRequest, params }, git) => {
    const comparison = await loadCurrentComparison(db, git, project, mergeRequest);
    return { mergeRequest, diff: await diffComparison(git, project, comparison, { whole: params.access_raw_diffs }) };
  },
});

const patchEndpoint = { access: mergeRequestCodeAccess(), response: patchResponse } as const;

/** A request for the changes of a merge request in the output format of `git diff` or `git format-patch`. */
interface PatchCall {
  readonly project: Project;
  readonly mergeRequest: MergeRequestOfCaller;
  readonly request: IncomingRequest;
}

async function downloadMergeRequestPatch(
  { project, mergeRequest, request }: PatchCall,
  services: Services,
  format: PatchFormat,
): Promise<StreamReply> {
  const { database, git } = services;
  const comparison = await loadCurrentComparison(database.forRequest().reader, git, project, mergeRequest);
  const commits = await findDiffCommits(git, project, comparison);
  return downloadPatch(services, { project, request, ...commits, format });
}

export const getMergeRequestRawDiffs = endpoint({
  get: `${MERGE_REQUEST}/raw_diffs`,
  summary: 'Get the raw diff of a merge request',
  description:
    'Streams the whole difference between the merge base and the head of the latest version as `git diff --binary` prints it, without size limits.',
  ...patchEndpoint,
  handle: (call, services) => downloadMergeRequestPatch(call, services, 'diff'),
});

export const downloadMergeRequestDiff = endpoint({
  get: '/*id/-/merge_requests/:merge_request_iid.diff',
  summary: 'Download the diff of a merge request',
  description:
    'The web address of the raw diff, for browsers and command-line tools: the output of `git diff --binary` for the latest version.',
  outsideApi: true,
  ...patchEndpoint,
  handle: (call, services) => downloadMergeRequestPatch(call, services, 'diff'),
});

export const downloadMergeRequestPatches = endpoint({
  get: '/*id/-/merge_requests/:merge_request_iid.patch',
  summary: 'Download the commits of a merge request as patches',
  description:
    'Streams one mail for each commit of the latest version, as `git format-patch` prints them. `git am` applies them.',
  outsideApi: true,
  ...patchEndpoint,
  handle: (call, services) => downloadMergeRequestPatch(call, services, 'patch'),
});
