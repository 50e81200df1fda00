import { listPushedRefsSince } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { RefServices } from '../services.ts';
import { type AbandonedIntent, listChangesOfOtherIntents } from './intents.ts';

/**
 * Returns the changes of an abandoned intent that were completed. A ref at the intended id has moved, and so has one
 * that others have moved on from there. From one commit a ref moves only once: a move that somebody else made is not
 * counted twice, because clients without a response push again.
 */
export async function findCompletedChanges(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  repository: Repository,
  intent: AbandonedIntent,
): Promise<RefChange[]> {
  const otherChangesByRef = Map.groupBy(await loadOtherChanges(database.reader, intent), ({ ref }) => ref);
  const movedRefs: RefChange[] = [];
  for (const change of intent.changes) {
    if (await isCompleted(git, repository, change, otherChangesByRef.get(change.ref) ?? [])) movedRefs.push(change);
  }
  return movedRefs;
}

/** A move by another intent. */
interface OtherChange {
  readonly ref: string;
  readonly oldId: string;
  /** Null if it is recorded, and therefore completed. */
  readonly newId: string | null;
}

async function loadOtherChanges(db: Reader, intent: AbandonedIntent): Promise<OtherChange[]> {
  const open = await listChangesOfOtherIntents(db, intent);
  if (intent.projectId === undefined) return open;
  const recordedChanges = await listPushedRefsSince(db, intent.projectId, intent.createdAt);
  return [
    ...open,
    ...recordedChanges.map(({ refType, ref, from }) => ({
      ref: (refType === 'branch' ? HEADS : TAGS) + ref,
      oldId: from ?? ZERO_ID,
      newId: null,
    })),
  ];
}

async function isCompleted(
  git: Git,
  repository: Repository,
  { ref, oldId, newId }: RefChange,
  otherChanges: readonly OtherChange[],
): Promise<boolean> {
  const rivalChanges = otherChanges.filter((other) => other.oldId === oldId);
  if (rivalChanges.some((rivalChange) => rivalChange.newId === null)) return false;
  const now = (await resolveRef(repository, ref)) ?? ZERO_ID;
  if (now === newId || now === oldId || now === ZERO_ID || newId === ZERO_ID) return now === newId;
  const wasLeft = (id: string | null) => otherChanges.some((other) => other.oldId === id);
  if (wasLeft(newId)) return true;
  if (rivalChanges.some((rivalChange) => rivalChange.newId === now || wasLeft(rivalChange.newId))) return false;
  return isAncestor(git, repository, newId, now);
}
