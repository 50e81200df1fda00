import { Type } from 'typebox';
import { Commit, Diff } from '#api/code/commits/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { unlessOverLimit } from '#git/process/failures.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { changesOf, type Described, describe, newestCommitsOf, spanOf } from '../merge-requests/index.ts';
import type { VersionRow } from './store.ts';

const fields = {
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: nullable(Type.String()),
  start_commit_sha: nullable(Type.String()),
  created_at: dateTime,
  merge_request_id: Type.Integer(),
  state: Type.Enum(['empty', 'collected', 'overflow']),
  real_size: nullable(Type.String()),
  patch_id_sha: nullable(Type.String()),
};

export interface VersionOf {
  readonly version: VersionRow;
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
}

/** Of what git can't tell, in time or for lack of a target branch, no more is known than that. */
const UNKNOWN = { state: 'overflow', real_size: null, patch_id_sha: null } as const;

/** What nobody has looked into yet is looked into now. */
async function describedAll(
  rows: readonly VersionOf[],
  { git }: SerializationContext,
): Promise<ReadonlyMap<number, Described>> {
  const found = new Map<number, Described>();
  for (const { version, project, mergeRequest } of rows) {
    const { base_commit_sha, start_commit_sha, state, real_size, patch_id_sha } = version;
    const known = state !== null && { base_commit_sha, start_commit_sha, state, real_size, patch_id_sha };
    const told = known || (await describe(git, project, mergeRequest, version));
    found.set(version.id, told ?? { base_commit_sha, start_commit_sha, ...UNKNOWN });
  }
  return found;
}

const shapeOf = ({ version }: VersionOf, described: ReadonlyMap<number, Described>) => ({
  id: version.id,
  head_commit_sha: version.head_commit_sha,
  created_at: version.created_at,
  merge_request_id: version.merge_request_id,
  ...described.get(version.id)!,
});

export const VersionInList = entity('MergeRequestVersionInList', fields).from(describedAll, (row, _to, described) =>
  shapeOf(row, described),
);

/** With its commits, and what they change. */
export const Version = entity('MergeRequestVersion', {
  ...fields,
  commits: Type.Array(Commit.schema),
  diffs: Type.Array(Diff.schema),
}).from(
  async (rows: readonly VersionOf[], to) => ({
    described: await describedAll(rows, to),
    contents: new Map(await Promise.all(rows.map(async (row) => [row.version.id, await contentOf(row, to)] as const))),
  }),
  (row, to, { described, contents }) => {
    const { commits, diffs } = contents.get(row.version.id)!;
    return {
      ...shapeOf(row, described),
      commits: commits.map((commit) => Commit.serialize(commit, to)),
      diffs: diffs.map((file) => Diff.serialize(file, to)),
    };
  },
);

async function contentOf({ version, project, mergeRequest }: VersionOf, { git }: SerializationContext) {
  const span = await spanOf(git, project, mergeRequest, version);
  const commits = await unlessOverLimit(() => newestCommitsOf(git, project, span));
  const diff = await unlessOverLimit(() => changesOf(git, project, span));
  return { commits: commits ?? [], diffs: diff?.files ?? [] };
}
