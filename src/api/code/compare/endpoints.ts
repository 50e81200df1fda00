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
import { optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { buildProjectUrl, getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { mapCooperatively } from '#runtime/yielding.ts';
import { Commit, type CommitRow, Diff } from '../commits/index.ts';

/** A comparison of two revisions (contract/repository.md §4). */
const Compare = entity('Compare', {
  commit: nullable(Commit.schema),
  commits: Type.Array(Commit.schema),
  diffs: Type.Array(Diff.schema),
  compare_timeout: Type.Boolean(),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
}).from(
  // Yields to the event loop: a comparison has up to 10,000 commits.
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
  access: inProjectAllowingAnonymous('read_code'),
  params: {
    from: required(refName),
    to: required(refName),
    from_project_id: optional(integer),
    straight: optional(boolean, false),
    unidiff: optional(boolean, false),
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
 * Returns the commits and changes of `to` that `from` does not have, since their merge base unless it is `straight`. Names are resolved on each call; the result for
 * two commits is cached.
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
