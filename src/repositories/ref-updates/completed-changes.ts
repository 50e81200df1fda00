import { pushedSince } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef, zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { RefServices } from '../services.ts';
import { changesOfOthers, type LeftIntent } from './intents.ts';

/**
 * Which of the changes of an intent that was left have come to pass. A ref that stands where the intent wanted it has moved, and
 * so has one that others have moved on from there since; but from one commit it has moved once, so that what somebody else has
 * moved from there is not counted twice: whoever got no answer pushes again.
 */
export async function haveMoved(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  repository: Repository,
  intent: LeftIntent,
): Promise<RefChange[]> {
  const others = Map.groupBy(await othersOf(database.reader, intent), ({ ref }) => ref);
  const moved: RefChange[] = [];
  for (const change of intent.changes) {
    if (await hasMoved(git, repository, change, others.get(change.ref) ?? [])) moved.push(change);
  }
  return moved;
}

/** A move by somebody else. */
interface Other {
  readonly ref: string;
  readonly oldId: string;
  /** Null: it is recorded, and so has come to pass. */
  readonly newId: string | null;
}

async function othersOf(db: Reader, intent: LeftIntent): Promise<Other[]> {
  const open = await changesOfOthers(db, intent);
  if (intent.projectId === undefined) return open;
  const recorded = await pushedSince(db, intent.projectId, intent.createdAt);
  return [
    ...open,
    ...recorded.map(({ refType, ref, from }) => ({
      ref: (refType === 'branch' ? HEADS : TAGS) + ref,
      oldId: from ?? zeroId,
      newId: null,
    })),
  ];
}

async function hasMoved(
  git: Git,
  repository: Repository,
  { ref, oldId, newId }: RefChange,
  others: readonly Other[],
): Promise<boolean> {
  const rivals = others.filter((other) => other.oldId === oldId);
  if (rivals.some((rival) => rival.newId === null)) return false;
  const now = (await resolveRef(repository, ref)) ?? zeroId;
  if (now === newId || now === oldId || now === zeroId || newId === zeroId) return now === newId;
  const wasLeft = (id: string | null) => others.some((other) => other.oldId === id);
  if (wasLeft(newId)) return true;
  if (rivals.some((rival) => rival.newId === now || wasLeft(rival.newId))) return false;
  return isAncestor(git, repository, newId, now);
}
