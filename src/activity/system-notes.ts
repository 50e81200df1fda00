import { randomBytes } from 'node:crypto';
import type { Transaction } from '#database/database.ts';
import type { SystemNoteKind } from '#database/tables/notes.ts';
import { namingResource, ofResource, type Resource } from './resource.ts';
import type { SystemText } from './system-note-texts.ts';

/** What Hearth says on a thing about a change of it (contract/planning.md §3.7). Its author is who made the change. */
export interface SystemNote {
  readonly noteOn: Resource;
  readonly text: SystemText;
  /** The other thing that the text names: who can't read that one is not told. Of each mention a thing is told once. */
  readonly mentioning?: Resource;
}

/** What an endpoint's `records` calls these notes. */
export type SystemNoteName = `note ${SystemNoteKind}`;

export async function recordSystemNote(
  tx: Transaction,
  authorId: number | null,
  { noteOn, text: { kind, text }, mentioning }: SystemNote,
): Promise<void> {
  if (authorId === null) throw new Error('a system note is of somebody who acts');
  await tx
    .insertInto('notes')
    .values({
      ...ofResource(noteOn),
      discussion_id: newDiscussionId(),
      author_id: authorId,
      body: text,
      system: true,
      kind,
      ...(mentioning && namingResource(mentioning)),
      internal: false,
      created_at: tx.now,
      updated_at: tx.now,
    })
    // index: notes_by_mention, the only one that can be in the way
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** For a note that begins a discussion of its own. */
export function newDiscussionId(): string {
  return randomBytes(20).toString('hex');
}
