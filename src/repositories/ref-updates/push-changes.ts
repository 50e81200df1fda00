import type { PushChange } from '#activity/index.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { objectInfo, readCommit, readTag } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { branchTip } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';

interface Describing {
  readonly git: Git;
  readonly repository: Repository;
  readonly defaultBranch: string;
  /** More refs than this in one push of a kind are not looked at one by one: they become one event. */
  readonly limit: number;
}

/** What the push events of these changes say: how many commits, and the newest one's title (contract/activity.md "push_data"). */
export async function describeChanges(changes: readonly RefChange[], context: Describing): Promise<PushChange[]> {
  const bare = changes.filter(({ ref }) => ref.startsWith(HEADS) || ref.startsWith(TAGS)).map(withoutCommits);
  const kinds = Map.groupBy(bare, (change) => `${change.action} ${change.refType}`);
  const groups = [...kinds.values()].map((group) =>
    group.length > context.limit ? group : Promise.all(group.map((change) => withCommits(change, context))),
  );
  return (await Promise.all(groups)).flat();
}

function withoutCommits({ ref, oldId, newId }: RefChange): PushChange {
  const branch = ref.startsWith(HEADS);
  return {
    refType: branch ? 'branch' : 'tag',
    action: oldId === zeroId ? 'created' : newId === zeroId ? 'removed' : 'pushed',
    ref: ref.slice(branch ? HEADS.length : TAGS.length),
    from: oldId === zeroId ? null : oldId,
    to: newId === zeroId ? null : newId,
    commitCount: 0,
    commitTitle: null,
  };
}

async function withCommits(change: PushChange, { git, repository, defaultBranch }: Describing): Promise<PushChange> {
  if (change.to === null) return change;
  if (change.refType === 'tag')
    return { ...change, commitCount: 1, commitTitle: await titleOfTag(git, repository, change.to) };
  const base = change.from ?? (change.ref === defaultBranch ? null : await branchTip(repository, defaultBranch));
  const commitCount = await countBetween(git, repository, base, change.to);
  const commitTitle = commitCount === 0 ? null : await titleOf(git, repository, change.to);
  return { ...change, commitCount, commitTitle };
}

/** One commit on top of its base, by far the commonest case, is told from the commit alone: no process is started. */
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
  const info = await objectInfo(git, repository, `${id}^{commit}`);
  if (info !== null) return titleOf(git, repository, info.id);
  return (await readTag(git, repository, id))?.message ?? null;
}
