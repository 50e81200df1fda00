import { sql } from 'kysely';
import { getResourceTable, MAX_NOTES_PER_NOTEABLE, type Resource, toResource } from '#activity/index.ts';
import type { Columns } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { countNotes, insertNote, type NoteRow } from '../note-rows/index.ts';
import { updateNoteCount } from './comment-count.ts';

/** A note exported from another server. */
interface ImportedNote extends Columns<'notes', 'author_id' | 'body' | 'internal' | 'created_at' | 'updated_at'> {
  /** Written by that server about an action of the author. */
  readonly system: boolean;
}

/**
 * Creates a note from another server. It counts as a comment, but records no activity, notifies nobody and keeps the noteable's
 * `updated_at` (contract/operations.md §1.4). It creates no cross-references: these are imported as notes of their own.
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
  // Groups noteables by type and number of deleted comments, so that one statement updates each group.
  const noteablesByTypeAndCount = Map.groupBy(
    [...notesByNoteable.values()],
    (noteableNotes) => `${noteableNotes[0]!.type} ${noteableNotes.length}`,
  );
  for (const noteables of noteablesByTypeAndCount.values()) {
    const [firstNote, ...otherNotes] = noteables[0]!;
    const count = otherNotes.length + 1;
    const ids = noteables.map((noteableNotes) => noteableNotes[0]!.id);
    await uow
      .updateTable(getResourceTable(firstNote!.type))
      .set({ user_notes_count: sql<number>`user_notes_count - ${sql.lit(count)}` })
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
