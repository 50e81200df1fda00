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
  /** Maximum refs of one kind per push that are inspected one by one; more become one event. */
  readonly limit: number;
}

/**
 * Returns the data of push events: the number of commits and the title of the newest (contract/activity.md
 * "push_data").
 */
export async function describePushChanges(changes: readonly RefChange[], context: PushContext): Promise<PushChange[]> {
  const branchAndTagChanges = changes
    .filter(({ ref }) => ref.startsWith(HEADS) || ref.startsWith(TAGS))
    .map(withoutCommits);
  const kinds = Map.groupBy(branchAndTagChanges, (change) => `${change.action} ${change.refType}`);
  const groups = [...kinds.values()].map((group) =>
    group.length > context.limit ? group : Promise.all(group.map((change) => withCommits(change, context))),
  );
  return (await Promise.all(groups)).flat();
}

function withoutCommits({ ref, oldId, newId }: RefChange): PushChange {
  const branch = ref.startsWith(HEADS);
  return {
    refType: branch ? 'branch' : 'tag',
    action: oldId === ZERO_ID ? 'created' : newId === ZERO_ID ? 'removed' : 'pushed',
    ref: ref.slice(branch ? HEADS.length : TAGS.length),
    from: oldId === ZERO_ID ? null : oldId,
    to: newId === ZERO_ID ? null : newId,
    commitCount: 0,
    commitTitle: null,
  };
}

async function withCommits(change: PushChange, { git, repository, defaultBranch }: PushContext): Promise<PushChange> {
  if (change.to === null) return change;
  if (change.refType === 'tag')
    return { ...change, commitCount: 1, commitTitle: await titleOfTag(git, repository, change.to) };
  const base = change.from ?? (change.ref === defaultBranch ? null : await findBranchHead(repository, defaultBranch));
  const commitCount = await countBetween(git, repository, base, change.to);
  const commitTitle = commitCount === 0 ? null : await titleOf(git, repository, change.to);
  return { ...change, commitCount, commitTitle };
}

/** A single commit on top of its base, the most common case, is counted without starting a process. */
async function countBetween(git: Git, repository: Repository, base: string | null, tip: string): Promise<number> {
  if (base === tip) return 0;
  const commit = await readCommit(git, repository, tip);
  const parents = commit?.parentIds ?? [];
  if (parents.length === 0 && base === null) return 1;
  if (parents.length === 1 && parents[0] === base) return 1;
  return countCommits(git, repository, { include: [tip], exclude: base === null ? [] : [base] });
}

async function titleOf(git: Git, repository: Repository, id: string): Promise<string | null> {
  return (await readCommit(git, repository, id))?.message ?? null;
}

async function titleOfTag(git: Git, repository: Repository, id: string): Promise<string | null> {
  const info = await getObjectInfo(git, repository, `${id}^{commit}`);
  if (info !== null) return titleOf(git, repository, info.id);
  return (await readTag(git, repository, id))?.message ?? null;
}
