import { Type } from 'typebox';
import { findSharedMergeBase, listCommitsBetween, MAX_COMMITS_BETWEEN } from '#git/commits/commit-log.ts';
import { type Diff as GitDiff, getDiff } from '#git/diff/diff.ts';
import type { Git } from '#git/git.ts';
import { type Commit as GitCommit, readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { buildProjectUrl, getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mapCooperatively } from '#runtime/yielding.ts';
import { Commit, type CommitRow, Diff } from '../commits/index.ts';

/** A comparison of two revisions (contract/repository.md §4). */
const Compare = entity('Compare', {
  /** The last of `commits`. */
  commit: nullable(Commit.schema),
  commits: Type.Array(Commit.schema),
  diffs: Type.Array(Diff.schema),
  compare_timeout: Type.Boolean({ description: 'Whether commits or diffs were left out because they are too many.' }),
  compare_same_ref: Type.Boolean({ description: 'Whether both refs name the same commit.' }),
  web_url: Type.String(),
}).from(
  // `mapCooperatively` yields to other requests, because a comparison has up to 10,000 commits.
  ([comparison]: readonly Comparison[], context) => {
    const { commits, project } = comparison!;
    return mapCooperatively(commits, (commit) => Commit.serialize({ commit, project }, context));
  },
  ({ project, base, head, straight, same, truncated, diff }: Comparison, context, commits) => ({
    commit: commits.at(-1) ?? null,
    commits,
    diffs: diff.files.map((file) => Diff.serialize(file, context)),
    compare_timeout: truncated,
    compare_same_ref: same,
    web_url: `${buildProjectUrl({ baseUrl: context.url }, project)}/-/compare/${base}${straight ? '..' : '...'}${head}`,
  }),
);

export const compareRefs = endpoint({
  get: '/projects/:id/repository/compare',
  summary: 'Compare two branches, tags or commits',
  description:
    'Returns the commits of `to` that `from` lacks, the oldest first, and the changes between both as one diff per ' +
    'file. The diff starts at their merge base, or with `straight` at `from`. If commits or diffs are left out ' +
    'because they are too many, `compare_timeout` is true.',
  access: inProjectAllowingAnonymous('read_code'),
  params: {
    from: describe(required(refName), 'Branch, tag or commit where the comparison begins.'),
    to: describe(required(refName), 'Branch, tag or commit that is compared with it.'),
    from_project_id: describe(optional(integer), 'Id of this project; no other project is accepted.'),
    straight: describe(optional(boolean, false), 'Compares with `from` itself, not with the merge base.'),
    unidiff: describe(optional(boolean, false), 'Adds the header lines `---` and `+++` to each diff.'),
  },
  errors: {
    refUnknown: [404, '404 Ref Not Found'],
    otherProject: [400, 'Target project id:{from} is not a fork of project id:{id}'],
  },
  response: ok(Compare),
  read(_db, { project, params }, git) {
    const from = params.from_project_id ?? project.id;
    if (from !== project.id) return fail('otherProject', { from, id: project.id });
    return compareRevisions(git, project, params);
  },
});

/** The result of a comparison. */
interface Comparison {
  readonly project: CommitRow['project'];
  /** The start of the diff: the merge base, or `from` itself if the comparison is straight or there is no merge base. */
  readonly base: string;
  readonly head: string;
  readonly straight: boolean;
  readonly same: boolean;
  /** Commits, oldest first. */
  readonly commits: readonly GitCommit[];
  readonly diff: GitDiff;
  /** Whether commits (the oldest) or files were left out. */
  readonly truncated: boolean;
}

/**
 * Returns the commits of `to` that `from` lacks, and the changes since their merge base, or since `from` if the comparison
 * is `straight`. The names are resolved on each call; the results of git for two commits are cached.
 */
async function compareRevisions(
  git: Git,
  project: CommitRow['project'],
  { from, to, straight }: { readonly from: string; readonly to: string; readonly straight: boolean },
): Promise<Comparison | Failure<'refUnknown'>> {
  const repository = getRepository(git, project);
  const [start, head] = await Promise.all([from, to].map((name) => resolveRevision(git, repository, name)));
  if (!start || !head) return fail('refUnknown');
  const common = { project, head, straight };
  if (start === head) return { ...common, base: start, same: true, commits: [], diff: NO_DIFF, truncated: false };
  const [ids, diffBase] = await Promise.all([
    listCommitsBetween(git, repository, start, head),
    straight ? start : findSharedMergeBase(git, repository, start, head),
  ]);
  const diff = await getDiff(git, repository, diffBase, head);
  const commits = await readCommits(git, repository, ids.slice(-MAX_COMMITS_BETWEEN), MAX_MESSAGES_BYTES);
  return {
    ...common,
    base: diffBase ?? start,
    same: false,
    commits: commits.filter((commit) => commit !== null),
    diff,
    truncated: ids.length > MAX_COMMITS_BETWEEN || diff.overflow || diff.files.some(({ collapsed }) => collapsed),
  };
}

/** Maximum total size of all commit messages, which are sent in one response. */
const MAX_MESSAGES_BYTES = 2 * 1024 * 1024;

const NO_DIFF: GitDiff = { files: [], overflow: false };
