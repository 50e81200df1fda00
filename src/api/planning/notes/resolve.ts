import { ALL_THREADS_RESOLVED } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { withOpenThreads } from '#domain/threads.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Noteable, NoteableKind } from '#http/access/noteables.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { mayComment } from './access.ts';
import type { NoteListed } from './store.ts';
import { findThread, isResolvable, setResolved, type Thread } from './threads.ts';

/** Who takes part may: Developers, who has begun the thread, and the author of what it is about. */
export function mayResolve(caller: SignedInCaller, thing: Noteable, { notes: [first] }: Thread): boolean {
  if (!mayComment(caller, thing)) return false;
  const isOwn = (authorId: number | null) => authorId === caller.user.id;
  return isOwn(first.author_id) || isOwn(thing.authorId) || mayAt(caller, 'resolve_note', thing);
}

interface Resolution {
  readonly resolved: boolean;
  /** One of its notes alone. */
  readonly noteId?: number;
}

/** Resolves a thread, or opens it again: what is so already stays as it is. Throws `AccessRevoked` when the caller may no more. */
export async function resolveThread(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  { id }: Pick<Thread, 'id'>,
  { resolved, noteId }: Resolution,
): Promise<Thread | Failure<'threadGone'>> {
  const { thing, caller } = await kind.again(uow, uow.actor, asked);
  const before = await findThread(uow, caller, thing, id);
  if (before === null) return fail('threadGone');
  if (!mayResolve(caller, thing, before)) throw new AccessRevoked();
  const isMeant = (note: NoteListed) => isResolvable(note) && (noteId === undefined || note.id === noteId);
  const changed = await setResolved(uow, before.notes.filter(isMeant), resolved ? caller.user : null);
  if (changed > 0 && resolved && (await tellUnlessOpen(uow, thing))) {
    await uow.record({ noteOn: { type: 'MergeRequest', id: thing.id }, text: ALL_THREADS_RESOLVED });
  }
  return (await findThread(uow, caller, thing, id)) ?? fail('threadGone');
}

/** The same of one of its notes. */
export async function resolveNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  { id, discussion_id }: NoteListed,
  resolved: boolean,
): Promise<NoteListed | Failure<'threadGone'>> {
  const thread = await resolveThread(uow, kind, asked, { id: discussion_id }, { resolved, noteId: id });
  if (isFailure(thread)) return thread;
  return thread.notes.find((note) => note.id === id) ?? fail('threadGone');
}

/** Tells what waits for it that a merge request has no open thread any more; false: it has, or it is no merge request. */
export async function tellUnlessOpen(uow: UnitOfWork, { type, id, project }: Noteable): Promise<boolean> {
  if (type !== 'MergeRequest' || (await withOpenThreads(uow, [id])).has(id)) return false;
  await uow.publish('threads-resolved', { projectId: project.id, mergeRequestId: id });
  return true;
}
