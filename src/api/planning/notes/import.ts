import { MOST_NOTES, type Resource } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { count } from './comment-count.ts';
import { countNotes, insertComment, type NoteRow } from './store.ts';

/** A note as another server tells of it. */
export interface ImportedNote {
  readonly author_id: number;
  readonly body: string;
  /** Said by that server, of what the author did. */
  readonly system: boolean;
  readonly internal: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * A note of another server on a thing: it counts there as any does, and nobody hears of it; the thing is not changed by it
 * (contract/operations.md §1.4). What a text names knows nothing of it: that has notes of its own that say so.
 */
export async function importNote(
  uow: UnitOfWork,
  thing: Resource,
  { author_id, body, system, internal, created_at, updated_at }: ImportedNote,
): Promise<NoteRow | Failure<'invalid'>> {
  if (body.trim() === '') return invalid({ note: ["can't be blank"] });
  if ((await countNotes(uow, thing, MOST_NOTES)) === MOST_NOTES) return invalid({ note: ['is one too many'] });
  const said = { authorId: author_id, body, internal, createdAt: created_at };
  const note = await insertComment(uow, thing, { ...said, past: { system, updatedAt: updated_at } });
  if (!system) await count(uow, thing, 1, null);
  return note;
}
