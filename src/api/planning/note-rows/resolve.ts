import { ALL_THREADS_RESOLVED_TEXT } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequestsWithOpenThreads } from '#domain/threads.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isLockedOut, type Noteable, type NoteableContext, type NoteableKind } from '#http/access/noteables.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { NoteListRow } from './store.ts';
import { findThread, isResolvable, setResolved, type Thread } from './threads.ts';

/** Returns the lock key for creating, deleting and resolving notes of a noteable, because they are counted. */
export function notesLockKey({ noteable }: { readonly noteable: Noteable }): string {
  return noteable.type === 'Commit' ? `notes on ${noteable.commit.id}` : `notes on ${noteable.type} ${noteable.id}`;
}

/** Returns whether a caller who may read the noteable may comment on it. */
export function mayComment(caller: Caller, noteable: Noteable): boolean {
  return mayInParent(caller, 'create_note', noteable) && !isLockedOut(caller, noteable);
}

/** Returns whether the caller may resolve the thread: at least a Developer, the author of its first note, or the author of the noteable. */
export function mayResolve(caller: SignedInCaller, noteable: Noteable, { notes: [firstNote] }: Thread): boolean {
  if (!mayComment(caller, noteable)) return false;
  const isCaller = (authorId: number | null) => authorId === caller.user.id;
  return isCaller(firstNote.author_id) || isCaller(noteable.authorId) || mayInParent(caller, 'resolve_note', noteable);
}

interface Resolution {
  readonly resolved: boolean;
  /** Only this note of the thread; all if absent. */
  readonly noteId?: number;
}

/** Resolves or reopens a thread. Notes already in that state are kept. Throws `AccessRevoked` if the caller lost the right. */
export async function resolveThread(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  thread: Pick<Thread, 'id'>,
  resolution: Resolution,
): Promise<Thread | Failure<'threadGone'>> {
  return resolveCurrentThread(uow, await kind.reload(uow, uow.actor, requestedNoteable), thread, resolution);
}

/** Like `resolveThread`, for a noteable that was loaded in this unit of work. */
export async function resolveCurrentThread(
  uow: UnitOfWork<SignedInCaller>,
  { noteable, caller }: NoteableContext<Noteable>,
  { id }: Pick<Thread, 'id'>,
  { resolved, noteId }: Resolution,
): Promise<Thread | Failure<'threadGone'>> {
  const thread = await findThread(uow, caller, noteable, id);
  if (thread === null) return fail('threadGone');
  if (!mayResolve(caller, noteable, thread)) throw new AccessRevoked();
  const isSelected = (note: NoteListRow) => isResolvable(note) && (noteId === undefined || note.id === noteId);
  const changedCount = await setResolved(uow, thread.notes.filter(isSelected), resolved ? caller.user : null);
  if (changedCount > 0 && resolved && (await publishIfAllThreadsResolved(uow, noteable))) {
    await uow.record({ noteOn: { type: 'MergeRequest', id: noteable.id }, text: ALL_THREADS_RESOLVED_TEXT });
  }
  return (await findThread(uow, caller, noteable, id)) ?? fail('threadGone');
}

/** Resolves or reopens one note of a thread. */
export async function resolveNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  { id, discussion_id }: NoteListRow,
  isResolved: boolean,
): Promise<NoteListRow | Failure<'threadGone'>> {
  const thread = await resolveThread(
    uow,
    kind,
    requestedNoteable,
    { id: discussion_id },
    { resolved: isResolved, noteId: id },
  );
  if (isFailure(thread)) return thread;
  return thread.notes.find((note) => note.id === id) ?? fail('threadGone');
}

/** Publishes `threads-resolved` if a merge request has no unresolved thread left. Returns whether it did. */
export async function publishIfAllThreadsResolved(uow: UnitOfWork, { type, id, project }: Noteable): Promise<boolean> {
  if (type !== 'MergeRequest' || (await findMergeRequestsWithOpenThreads(uow, [id])).has(id)) return false;
  await uow.publish('threads-resolved', { projectId: project.id, mergeRequestId: id });
  return true;
}
