import type { PushChange } from '#activity/index.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { getObjectInfo, readCommit, readTag } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';

interface PushContext {
  readonly git: Git;
  readonly repository: Repository;
  readonly defaultBranch: string;
  /** Maximum refs of one action and type per push whose commits are counted; more become one event without counts. */
  readonly limit: number;
}

/**
 * Returns the data of push events: the number of commits and the title of the newest (contract/activity.md
 * "push_data").
 */
export async function describePushChanges(changes: readonly RefChange[], context: PushContext): Promise<PushChange[]> {
  const branchAndTagChanges = changes
    .filter(({ ref }) => ref.startsWith(HEADS) || ref.startsWith(TAGS))
    .map(toPushChange);
  const changesByKind = Map.groupBy(branchAndTagChanges, (change) => `${change.action} ${change.refType}`);
  const groups = [...changesByKind.values()].map((group) =>
    group.length > context.limit ? group : Promise.all(group.map((change) => addCommits(change, context))),
  );
  return (await Promise.all(groups)).flat();
}

function toPushChange({ ref, oldId, newId }: RefChange): PushChange {
  const isBranch = ref.startsWith(HEADS);
  return {
    refType: isBranch ? 'branch' : 'tag',
    action: oldId === ZERO_ID ? 'created' : newId === ZERO_ID ? 'removed' : 'pushed',
    ref: ref.slice(isBranch ? HEADS.length : TAGS.length),
    from: oldId === ZERO_ID ? null : oldId,
    to: newId === ZERO_ID ? null : newId,
    commitCount: 0,
    commitMessage: null,
  };
}

async function addCommits(change: PushChange, { git, repository, defaultBranch }: PushContext): Promise<PushChange> {
  if (change.to === null) return change;
  // A tag counts as one commit, the tagged one.
  if (change.refType === 'tag')
    return { ...change, commitCount: 1, commitMessage: await loadTagMessage(git, repository, change.to) };
  const base = change.from ?? (change.ref === defaultBranch ? null : await findBranchHead(repository, defaultBranch));
  const commitCount = await countNewCommits(git, repository, base, change.to);
  const commitTitle = commitCount === 0 ? null : await loadCommitMessage(git, repository, change.to);
  return { ...change, commitCount, commitMessage: commitTitle };
}

/** Counts the commits since `base`. One commit on top of it, the most common case, needs no git process. */
async function countNewCommits(git: Git, repository: Repository, base: string | null, tip: string): Promise<number> {
  if (base === tip) return 0;
  const commit = await readCommit(git, repository, tip);
  const parents = commit?.parentIds ?? [];
  if (parents.length === 0 && base === null) return 1;
  if (parents.length === 1 && parents[0] === base) return 1;
  return countCommits(git, repository, { include: [tip], exclude: base === null ? [] : [base] });
}

async function loadCommitMessage(git: Git, repository: Repository, id: string): Promise<string | null> {
  return (await readCommit(git, repository, id))?.message ?? null;
}

/** Returns the message of the tagged commit; of the tag itself if it refers to another object. */
async function loadTagMessage(git: Git, repository: Repository, id: string): Promise<string | null> {
  const commitInfo = await getObjectInfo(git, repository, `${id}^{commit}`);
  if (commitInfo !== null) return loadCommitMessage(git, repository, commitInfo.id);
  return (await readTag(git, repository, id))?.message ?? null;
}
