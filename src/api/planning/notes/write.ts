import { forgetTargetActivity, MOST_NOTES } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { InThing, Noteable, NoteableKind } from '#http/access/noteables.ts';
import type { ErrorTable } from '#http/errors/error-table.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { tellMentioned } from '../issuables/index.ts';
import type { Changes } from '../quick-actions/index.ts';
import { stillChanging, stillCommenting } from './access.ts';
import { count } from './comment-count.ts';
import { tellUnlessOpen } from './resolve.ts';
import {
  countNotes,
  deleteNoteRow,
  type InThread,
  insertComment,
  mayReadInternal,
  type NoteRow,
  updateBody,
} from './store.ts';
import { findThread, isOpen, isResolvable, makeThread, type Thread } from './threads.ts';

/** A note, and of one that was said just now what its quick actions have changed. */
export type NoteSaid = NoteRow & { readonly changes?: Changes };

export interface NoteWish {
  readonly body: string;
  readonly internal: boolean;
  /** Only Owners may say when. */
  readonly createdAt: string | null;
  /** What its quick actions have changed. */
  readonly changes?: Changes;
  /** Of one that begins a thread; else it is a plain comment. */
  readonly begins?: Beginning;
}

/** What a thread begins with: a DiscussionNote, or where it stands in a diff a DiffNote. */
export interface Beginning {
  /** As the API shows it (JSON); null: not in a diff. */
  readonly position: string | null;
  /** Of a merge request: the commit on whose own diff that is. */
  readonly commitSha: string | null;
}

/** How whoever says something is refused, wherever. */
export const NOTE_REFUSALS = {
  blank: [400, `400 Bad request - Note {:note=>["can't be blank"]}`],
  tooMany: [400, '400 Bad request - Note {:base=>["Maximum number of comments exceeded"]}'],
} as const satisfies ErrorTable;

type Unsaid = 'internal' | 'blank' | 'tooMany';

/** A comment on a thing: it counts there, and in a project it is an activity. */
export async function createNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  { begins, ...wish }: NoteWish,
): Promise<NoteRow | Failure<Unsaid>> {
  const standing = await stillCommenting(uow, kind, asked);
  if (begins === undefined) return say(uow, standing, wish, null);
  const type = begins.position === null ? 'DiscussionNote' : 'DiffNote';
  return say(uow, standing, wish, { id: null, type, ...begins, resolved: null });
}

/** An answer in a thread; a plain comment that somebody answers becomes one. It is for the same readers. */
export async function answerNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  { id }: Pick<Thread, 'id'>,
  wish: Pick<NoteWish, 'body' | 'createdAt' | 'changes'>,
): Promise<NoteRow | Failure<Unsaid | 'threadGone' | 'notAnswerable'>> {
  const standing = await stillCommenting(uow, kind, asked);
  const thread = await findThread(uow, standing.caller, standing.thing, id);
  if (thread === null) return fail('threadGone');
  const [first] = thread.notes;
  if (first.system || (first.type === null && standing.thing.type === 'Commit')) return fail('notAnswerable');
  const said = await say(
    uow,
    standing,
    { ...wish, internal: first.internal },
    {
      id,
      type: first.type ?? 'DiscussionNote',
      position: first.position,
      commitSha: first.commit_sha,
      resolved: isDone(thread) ? { at: uow.now, by: standing.caller.user.id } : null,
    },
  );
  if (!isFailure(said) && first.type === null) await makeThread(uow, first);
  return said;
}

/** Resolved, and nothing open in it. */
const isDone = ({ notes }: Thread) => notes.some(isResolvable) && !notes.some(isOpen);

/** The one way in which people say something, wherever. */
async function say(
  uow: UnitOfWork<SignedInCaller>,
  { thing, caller }: InThing<Noteable>,
  { body, internal, createdAt, changes }: Omit<NoteWish, 'begins'>,
  thread: InThread | null,
): Promise<NoteRow | Failure<Unsaid>> {
  if (internal && !mayReadInternal(caller, thing)) return fail('internal');
  if (body.trim() === '') return fail('blank');
  if ((await countNotes(uow, thing, MOST_NOTES)) === MOST_NOTES) return fail('tooMany');
  const note = await insertComment(uow, thing, {
    authorId: caller.user.id,
    body,
    internal,
    createdAt: (mayAt(caller, 'date_note', thing) && createdAt) || uow.now,
    thread,
  });
  await count(uow, thing, 1, uow.now);
  if (thing.project) {
    await uow.record({
      projectId: thing.project.id,
      authorId: caller.user.id,
      action: 'commented',
      target: { type: note.type ?? 'Note', id: note.id },
    });
  } else {
    await uow.publish('occurred', { event: 'new_note', about: { type: 'Note', id: note.id } });
  }
  if (!internal) await tellNamed(uow, thing, body);
  return withChanges(note, changes);
}

const withChanges = (note: NoteRow, changes: Changes | undefined): NoteSaid =>
  changes === undefined ? note : { ...note, changes };

/** What a commit's comments name is not told. */
async function tellNamed(uow: UnitOfWork, thing: Noteable, body: string): Promise<void> {
  if (thing.type !== 'Commit') await tellMentioned(uow, thing, [body]);
}

/** Says it in other words. */
export async function updateNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  note: NoteRow,
  { body, changes }: { readonly body: string; readonly changes?: Changes },
): Promise<NoteSaid | Failure<'gone'>> {
  const standing = await stillChanging(uow, kind, asked, note);
  if (isFailure(standing)) return standing;
  const { thing, now } = standing;
  if (body === now.body) return withChanges(now, changes);
  const changed = await updateBody(uow, note.id, body);
  if (changed === undefined) return fail('gone');
  const { type, id } = thing;
  if (type !== 'Commit') {
    const before = now.body;
    await uow.publish('reworded', {
      ...{ about: { type, id }, of: 'note', noteId: note.id },
      ...{ before, text: body, internal: now.internal },
    });
  }
  if (!now.internal) await tellNamed(uow, thing, body);
  return withChanges(changed, changes);
}

/** Takes a comment back, and with it what the feeds say of it. Its thread ends with its last one. */
export async function deleteNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  asked: Noteable,
  note: NoteRow,
): Promise<undefined | Failure<'gone'>> {
  const standing = await stillChanging(uow, kind, asked, note);
  if (isFailure(standing)) return standing;
  if (!(await deleteNoteRow(uow, note.id))) return fail('gone');
  await forgetTargetActivity(uow, 'Note', [note.id]);
  await count(uow, standing.thing, -1, uow.now);
  if (isOpen(standing.now)) await tellUnlessOpen(uow, standing.thing);
}
