import { MAX_NOTES_PER_NOTEABLE, type Resource } from '#activity/index.ts';
import type { Columns } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { countNotes, insertNote, type NoteRow } from '../note-rows/index.ts';
import { updateNoteCount } from './comment-count.ts';

/** A note exported from another server. */
export interface ImportedNote
  extends Columns<'notes', 'author_id' | 'body' | 'internal' | 'created_at' | 'updated_at'> {
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
