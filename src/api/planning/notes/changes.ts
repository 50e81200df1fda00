import { sql } from 'kysely';
import {
  deleteTargetActivity,
  getResourceTable,
  MAX_NOTES_PER_NOTEABLE,
  type NoteTarget,
  type Resource,
  toResource,
} from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import type { Columns, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Noteable, NoteableContext, NoteableKind } from '#http/access/noteables.ts';
import type { ErrorTable } from '#http/errors/error-messages.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { recordMentions } from '../issuables/index.ts';
import {
  convertToThread,
  countNotes,
  deleteNoteRow,
  findThread,
  insertNote,
  isResolvable,
  isUnresolved,
  mayReadInternal,
  type NoteRow,
  type NoteThreadFields,
  publishIfAllThreadsResolved,
  type Thread,
  updateNoteBody,
} from '../note-rows/index.ts';
import type { QuickActionChanges } from '../quick-actions/index.ts';
import { reloadForComment, reloadNoteForUpdate } from './access.ts';

/**
 * Adds `difference` to the comment count of an issuable. `changedAt` becomes its `updated_at`, unless it is null. Commits and
 * snippets have no count.
 */
async function updateNoteCount(
  tx: Transaction,
  { type, id }: NoteTarget,
  difference: 1 | -1,
  changedAt: string | null,
): Promise<void> {
  if (type === 'Commit' || type === 'Snippet') return;
  await tx
    .updateTable(getResourceTable(type))
    .set({ user_notes_count: sql<number>`user_notes_count + ${sql.lit(difference)}` })
    .$if(changedAt !== null, (query) => query.set({ updated_at: changedAt as string }))
    .where('id', '=', id)
    .execute();
}

/** A note, with the changes that its quick actions made if it was just written. */
type NoteWithChanges = NoteRow & { readonly changes?: QuickActionChanges };

interface CreateNoteInput {
  readonly body: string;
  readonly internal: boolean;
  /** Only Owners may set it; ignored for others. */
  readonly createdAt: string | null;
  /** The changes that its quick actions made. */
  readonly changes?: QuickActionChanges;
  /** Starts a thread if present; else the note is a plain comment. */
  readonly threadStart?: ThreadStart;
}

/** Where a thread starts. Its first note is a DiffNote if it has a position in a diff, else a DiscussionNote. */
export interface ThreadStart {
  /** JSON in the API's shape; null if not in a diff. */
  readonly position: string | null;
  /** For merge requests: the commit if the position is in the diff of one commit. */
  readonly commitSha: string | null;
}

/** Errors of all endpoints that create notes. */
export const NOTE_ERRORS = {
  blank: [400, `400 Bad request - Note {:note=>["can't be blank"]}`],
  tooMany: [400, '400 Bad request - Note {:base=>["Maximum number of comments exceeded"]}'],
} as const satisfies ErrorTable;

type NoteErrorCode = 'internalNotAllowed' | 'blank' | 'tooMany';

/** Creates a note, updates the comment count and, in a project, records an activity event. */
export async function createNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  { threadStart, ...input }: CreateNoteInput,
): Promise<NoteRow | Failure<NoteErrorCode>> {
  const context = await reloadForComment(uow, kind, requestedNoteable);
  if (threadStart === undefined) return writeNote(uow, context, input, null);
  const type = threadStart.position === null ? 'DiscussionNote' : 'DiffNote';
  return writeNote(uow, context, input, { id: null, type, ...threadStart, resolved: null });
}

/**
 * Adds a reply to a thread. A plain comment becomes a thread by it. The reply is internal if the first note is. A reply to a
 * resolved thread counts as resolved. Fails with `notAnswerable` for system notes and for plain comments on commits.
 */
export async function replyToThread(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  { id }: Pick<Thread, 'id'>,
  input: Pick<CreateNoteInput, 'body' | 'createdAt' | 'changes'>,
): Promise<NoteRow | Failure<NoteErrorCode | 'threadNotFound' | 'notAnswerable'>> {
  const context = await reloadForComment(uow, kind, requestedNoteable);
  const thread = await findThread(uow, context.caller, context.noteable, id);
  if (thread === null) return fail('threadNotFound');
  const [firstNote] = thread.notes;
  if (firstNote.system || (firstNote.type === null && context.noteable.type === 'Commit')) return fail('notAnswerable');
  const reply = await writeNote(
    uow,
    context,
    { ...input, internal: firstNote.internal },
    {
      id,
      type: firstNote.type ?? 'DiscussionNote',
      position: firstNote.position,
      commitSha: firstNote.commit_sha,
      resolved: isThreadResolved(thread) ? { at: uow.now, by: context.caller.user.id } : null,
    },
  );
  if (!isFailure(reply) && firstNote.type === null) await convertToThread(uow, firstNote);
  return reply;
}

const isThreadResolved = ({ notes }: Thread) => notes.some(isResolvable) && !notes.some(isUnresolved);

/**
 * Inserts a note and updates the comment count. All user comments are created here. In a project, the recorded activity event also
 * notifies users; on an epic, the event is published directly.
 */
async function writeNote(
  uow: UnitOfWork<SignedInCaller>,
  { noteable, caller }: NoteableContext<Noteable>,
  { body, internal, createdAt, changes }: Omit<CreateNoteInput, 'threadStart'>,
  thread: NoteThreadFields | null,
): Promise<NoteRow | Failure<NoteErrorCode>> {
  if (internal && !mayReadInternal(caller, noteable)) return fail('internalNotAllowed');
  if (body.trim() === '') return fail('blank');
  if ((await countNotes(uow, noteable, MAX_NOTES_PER_NOTEABLE)) === MAX_NOTES_PER_NOTEABLE) return fail('tooMany');
  const note = await insertNote(uow, noteable, {
    authorId: caller.user.id,
    body,
    internal,
    createdAt: (mayInParent(caller, 'set_note_created_at', noteable) && createdAt) || uow.now,
    thread,
  });
  await updateNoteCount(uow, noteable, 1, uow.now);
  if (noteable.project) {
    await uow.record({
      projectId: noteable.project.id,
      authorId: caller.user.id,
      action: 'commented',
      target: { type: note.type ?? 'Note', id: note.id },
    });
  } else {
    await uow.publish('notifiable-event-occurred', { event: 'new_note', about: { type: 'Note', id: note.id } });
  }
  if (!internal) await recordBodyMentions(uow, noteable, body);
  return withChanges(note, changes);
}

const withChanges = (note: NoteRow, changes: QuickActionChanges | undefined): NoteWithChanges =>
  changes === undefined ? note : { ...note, changes };

/** Creates cross-references for the mentions in a body. Comments on commits and snippets create none. */
async function recordBodyMentions(uow: UnitOfWork, noteable: Noteable, body: string): Promise<void> {
  if (noteable.type !== 'Commit' && noteable.type !== 'Snippet') await recordMentions(uow, noteable, [body]);
}

/** Updates the body of a note. */
export async function updateNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  note: NoteRow,
  { body, changes }: { readonly body: string; readonly changes?: QuickActionChanges },
): Promise<NoteWithChanges | Failure<'notFound'>> {
  const current = await reloadNoteForUpdate(uow, kind, requestedNoteable, note);
  if (isFailure(current)) return current;
  const { noteable, currentNote } = current;
  if (body === currentNote.body) return withChanges(currentNote, changes);
  const updatedNote = await updateNoteBody(uow, note.id, body);
  if (updatedNote === undefined) return fail('notFound');
  const { type, id } = noteable;
  if (type !== 'Snippet') {
    await uow.publish('text-updated', {
      about: { type, id },
      field: 'note',
      noteId: note.id,
      before: currentNote.body,
      text: body,
      internal: currentNote.internal,
    });
  }
  if (!currentNote.internal) await recordBodyMentions(uow, noteable, body);
  return withChanges(updatedNote, changes);
}

/** Deletes a note and its activity events. A thread without notes no longer exists. */
export async function deleteNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  note: NoteRow,
): Promise<undefined | Failure<'notFound'>> {
  const current = await reloadNoteForUpdate(uow, kind, requestedNoteable, note);
  if (isFailure(current)) return current;
  if (!(await deleteNoteRow(uow, note.id))) return fail('notFound');
  await deleteTargetActivity(uow, 'Note', [note.id]);
  await updateNoteCount(uow, current.noteable, -1, uow.now);
  // The deleted note may have been the last unresolved one.
  if (isUnresolved(current.currentNote)) await publishIfAllThreadsResolved(uow, current.noteable);
}

/** A note exported from another server. */
interface ImportedNote extends Columns<'notes', 'author_id' | 'body' | 'internal' | 'created_at' | 'updated_at'> {
  /** Written by that server about an action of the author. */
  readonly system: boolean;
}

/**
 * Creates a note from another server and counts it as a comment. Records no activity, notifies nobody and keeps the noteable's
 * `updated_at` (contract/operations.md §1.4). Creates no cross-references: these are imported as notes of their own.
 */
export async function importNote(
  uow: UnitOfWork,
  noteable: Resource,
  { author_id, body, system, internal, created_at, updated_at }: ImportedNote,
): Promise<NoteRow | Failure<'invalid'>> {
  if (body.trim() === '') return invalid({ note: ["can't be blank"] });
  if ((await countNotes(uow, noteable, MAX_NOTES_PER_NOTEABLE)) === MAX_NOTES_PER_NOTEABLE)
    return invalid({ note: ['is one too many'] });
  const fields = { authorId: author_id, body, internal, createdAt: created_at };
  const note = await insertNote(uow, noteable, { ...fields, importedState: { system, updatedAt: updated_at } });
  if (!system) await updateNoteCount(uow, noteable, 1, null);
  return note;
}

/**
 * When a user is deleted with their contributions: deletes their notes and updates the counts. Their activity events are
 * deleted with the user.
 */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: async (uow, { userId, hard }) => (hard ? runBatchSteps(() => deleteNoteBatch(uow, userId)) : undefined),
});

/** Deletes one batch of notes and returns their number. index: notes_by_author */
async function deleteNoteBatch(uow: UnitOfWork, userId: number): Promise<number> {
  const notes = await uow
    .selectFrom('notes')
    .select(['id', 'issue_id', 'merge_request_id', 'epic_id', 'commented_commit_id', 'snippet_id', 'system'])
    .where('author_id', '=', userId)
    .limit(BATCH_SIZE)
    .execute();
  const notesByNoteable = Map.groupBy(
    notes.filter((note) => !note.system && (note.commented_commit_id ?? note.snippet_id) === null).map(toResource),
    ({ type, id }) => `${type} ${id}`,
  );
  // Noteables of the same type that lose the same number of comments are updated by one statement.
  const noteablesByTypeAndCount = Map.groupBy(
    [...notesByNoteable.values()],
    (noteableNotes) => `${noteableNotes[0]!.type} ${noteableNotes.length}`,
  );
  for (const noteables of noteablesByTypeAndCount.values()) {
    const { type } = noteables[0]![0]!;
    const deletedCount = noteables[0]!.length;
    const ids = noteables.map((noteableNotes) => noteableNotes[0]!.id);
    await uow
      .updateTable(getResourceTable(type))
      .set({ user_notes_count: sql<number>`user_notes_count - ${sql.lit(deletedCount)}` })
      .where(isInIds(uow, sql<number>`id`, ids))
      .execute();
  }
  const ids = notes.map(({ id }) => id);
  await uow
    .deleteFrom('notes')
    .where(isInIds(uow, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
