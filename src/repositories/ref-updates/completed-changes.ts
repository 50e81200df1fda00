import { listPushedRefsSince } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import type { Git } from '#git/git.ts';
import { getObjectInfo } from '#git/objects/object-reader.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef, ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import type { RefServices } from '../services.ts';
import { type AbandonedIntent, listChangesOfOtherIntents } from './intents.ts';

/**
 * Returns the changes of an abandoned intent that were completed. A change is complete if its ref is at the intended id, or
 * was moved from there by others. Only one intent can move a ref from its old id: if another one has (a client without a
 * response pushes again), this change is not complete.
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

/** A change of a ref by another intent. */
interface OtherChange {
  readonly ref: string;
  readonly oldId: string;
  /** Null if the change is recorded, and therefore completed. */
  readonly newId: string | null;
}

async function loadOtherChanges(db: Reader, intent: AbandonedIntent): Promise<OtherChange[]> {
  const pendingChanges = await listChangesOfOtherIntents(db, intent);
  if (intent.projectId === undefined) return pendingChanges;
  const recordedChanges = await listPushedRefsSince(db, intent.projectId, intent.createdAt);
  return [
    ...pendingChanges,
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
  // Of the changes from the same old id at most one can have moved the ref.
  const competingChanges = otherChanges.filter((otherChange) => otherChange.oldId === oldId);
  if (competingChanges.some((competingChange) => competingChange.newId === null)) return false;
  const currentId = (await resolveRef(repository, ref)) ?? ZERO_ID;
  if (currentId === newId || currentId === oldId || currentId === ZERO_ID || newId === ZERO_ID)
    return currentId === newId;
  // Whether another intent has moved the ref, or will move it, from this id.
  const isMovedFrom = (id: string | null) => otherChanges.some((otherChange) => otherChange.oldId === id);
  if (isMovedFrom(newId)) return true;
  if (
    competingChanges.some(
      (competingChange) => competingChange.newId === currentId || isMovedFrom(competingChange.newId),
    )
  )
    return false;
  // Only commits have ancestors; a ref can point to any object.
  if (!(await isCommit(git, repository, newId)) || !(await isCommit(git, repository, currentId))) return false;
  return isAncestor(git, repository, newId, currentId);
}

/** Returns whether the object exists and is a commit or a tag of one. */
async function isCommit(git: Git, repository: Repository, id: string): Promise<boolean> {
  return (await getObjectInfo(git, repository, `${id}^{commit}`)) !== null;
}
