import { Type } from 'typebox';
import { Commit, Diff } from '#api/code/commits/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import {
  diffComparison,
  listNewestCommits,
  resolveComparison,
  summarizeVersion,
  type VersionSummary,
} from '../merge-requests/index.ts';

const fields = {
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: nullable(Type.String({ description: 'Merge base of the source and the target branch.' })),
  start_commit_sha: nullable(Type.String({ description: 'Head of the target branch when the version was created.' })),
  created_at: dateTime,
  merge_request_id: Type.Integer(),
  state: Type.Enum(['empty', 'collected', 'overflow'], { description: '`overflow`: size limits cut the changes.' }),
  real_size: nullable(Type.String({ description: 'Number of changed files; `+` follows if limits cut the list.' })),
  patch_id_sha: nullable(Type.String({ description: 'The output of `git patch-id --stable`; null without changes.' })),
};

/** A version with the rows from which its comparison is computed. */
interface VersionWithMergeRequest {
  readonly version: Omit<Columns<'merge_request_versions'>, 'has_keep_ref'>;
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
}

/** The summary of a version if git exceeds its limits or the target branch does not exist. */
const UNKNOWN_SUMMARY = { state: 'overflow', real_size: null, patch_id_sha: null } as const;

/** Returns the stored summaries by version id, and computes the missing ones. */
async function loadVersionSummaries(
  rows: readonly VersionWithMergeRequest[],
  { git }: SerializationContext,
): Promise<ReadonlyMap<number, VersionSummary>> {
  const summariesByVersionId = new Map<number, VersionSummary>();
  for (const { version, project, mergeRequest } of rows) {
    const { base_commit_sha, start_commit_sha, state, real_size, patch_id_sha } = version;
    const storedSummary = state !== null && { base_commit_sha, start_commit_sha, state, real_size, patch_id_sha };
    const summary = storedSummary || (await summarizeVersion(git, project, mergeRequest, version));
    summariesByVersionId.set(version.id, summary ?? { base_commit_sha, start_commit_sha, ...UNKNOWN_SUMMARY });
  }
  return summariesByVersionId;
}

const serializeVersion = (
  { version }: VersionWithMergeRequest,
  summariesByVersionId: ReadonlyMap<number, VersionSummary>,
) => ({
  id: version.id,
  head_commit_sha: version.head_commit_sha,
  created_at: version.created_at,
  merge_request_id: version.merge_request_id,
  ...summariesByVersionId.get(version.id)!,
});

/** A version in a list. */
export const VersionInList = entity('MergeRequestVersionInList', fields).from(
  loadVersionSummaries,
  (row, _context, summariesByVersionId) => serializeVersion(row, summariesByVersionId),
);

/** A version with its commits and diffs. */
export const Version = entity('MergeRequestVersion', {
  ...fields,
  commits: Type.Array(Commit.schema),
  diffs: Type.Array(Diff.schema),
}).from(
  async (rows: readonly VersionWithMergeRequest[], context) => ({
    summariesByVersionId: await loadVersionSummaries(rows, context),
    contentsByVersionId: new Map(
      await Promise.all(rows.map(async (row) => [row.version.id, await loadVersionContent(row, context)] as const)),
    ),
  }),
  (row, context, { summariesByVersionId, contentsByVersionId }) => {
    const { commits, diffs } = contentsByVersionId.get(row.version.id)!;
    return {
      ...serializeVersion(row, summariesByVersionId),
      commits: commits.map((commit) => Commit.serialize(commit, context)),
      diffs: diffs.map((file) => Diff.serialize(file, context)),
    };
  },
);

async function loadVersionContent(
  { version, project, mergeRequest }: VersionWithMergeRequest,
  { git }: SerializationContext,
) {
  const comparison = await resolveComparison(git, project, mergeRequest, version);
  const commits = await runOrNullIfOverLimit(() => listNewestCommits(git, project, comparison));
  const diff = await runOrNullIfOverLimit(() => diffComparison(git, project, comparison));
  return { commits: commits ?? [], diffs: diff?.files ?? [] };
}
