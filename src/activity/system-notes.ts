import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Schema, Transaction } from '#database/database.ts';
import type { SystemNoteKind } from '#database/schema.ts';
import { type NotifyingTarget, type Resource, toMentioningColumns, toResourceColumns } from './resource.ts';
import type { SystemNoteText } from './system-note-texts.ts';

/** A system note about a change of a noteable (contract/planning.md §3.7). Its author made the change. */
export interface SystemNote {
  readonly noteOn: NotifyingTarget;
  readonly text: SystemNoteText;
  /**
   * The resource that the text mentions. Users who cannot read it do not see the note. Repeated mentions are not recorded.
   */
  readonly mentionedResource?: Resource;
  /** The thread that the note replies to, as the columns of its first note. */
  readonly thread?: ThreadColumns;
}

type ThreadColumns = Pick<
  Selectable<Schema['notes']>,
  'discussion_id' | 'type' | 'position' | 'commit_sha' | 'internal'
>;

/** Names of these notes in an endpoint's `activity`. */
export type SystemNoteName = `note ${SystemNoteKind}`;

/** Records a system note. Does nothing if the same mention is recorded already. Throws without an author. */
export async function recordSystemNote(
  tx: Transaction,
  authorId: number | null,
  { noteOn, text: { kind, text }, mentionedResource, thread }: SystemNote,
): Promise<void> {
  if (authorId === null) throw new Error('A system note needs an author: the unit of work has no user');
  await tx
    .insertInto('notes')
    .values({
      ...toResourceColumns(noteOn),
      discussion_id: thread?.discussion_id ?? newDiscussionId(),
      type: thread?.type ?? null,
      position: thread?.position ?? null,
      commit_sha: thread?.commit_sha ?? null,
      author_id: authorId,
      body: text,
      system: true,
      kind,
      ...(mentionedResource && toMentioningColumns(mentionedResource)),
      internal: thread?.internal ?? false,
      created_at: tx.now,
      updated_at: tx.now,
    })
    // index: notes_by_mention, the only one that can conflict
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns an id for a note that starts its own discussion. */
export function newDiscussionId(): string {
  return randomBytes(20).toString('hex');
}
