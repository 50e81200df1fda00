import { type SqlBool, sql } from 'kysely';
import { columnOf, type Noted } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { type Page, paged } from '#database/page.ts';
import type { Noteable } from '#http/access/noteables.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { listedColumns, type NoteListed, readableNotes } from './store.ts';

/** The rows of notes, by the threads that they are in; a plain comment is alone in its own (contract/planning.md §3.12). */

/** So much of a thread as the caller may read, the oldest note first. */
export interface Thread {
  readonly id: string;
  readonly notes: readonly [NoteListed, ...NoteListed[]];
}

/**
 * One page of the threads on a thing, by their first notes: which they are, and then all that was said in them. index:
 * notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created, notes_by_commented_commit,
 * notes_by_issue_discussion, notes_by_merge_request_discussion, notes_by_epic_discussion, notes_by_commented_commit_discussion
 */
export async function listThreads(
  db: Reader,
  caller: Caller,
  thing: Noteable,
  page: OffsetRequest,
): Promise<Page<Thread>> {
  const first = readableNotes(db, caller, thing)
    .select('notes.discussion_id')
    .where(isFirst(thing))
    .orderBy('notes.created_at')
    .orderBy('notes.id');
  const found = await paged(db, first, page);
  const ids = found.items.map(({ discussion_id }) => discussion_id);
  return { ...found, items: await threadsOf(db, caller, thing, ids) };
}

/** Nothing of its thread was said before: who may read one note of a thread reads all. */
function isFirst({ type }: Noted) {
  const column = columnOf(type);
  return sql<SqlBool>`not exists (
    select 1 from notes as earlier
    where ${sql.ref(`earlier.${column}`)} = ${sql.ref(`notes.${column}`)} and earlier.discussion_id = notes.discussion_id
      and (earlier.created_at, earlier.id) < (notes.created_at, notes.id))`;
}

/** The threads with these ids, in their order, so far as there is anything to read in them. index: notes_by_issue_discussion, notes_by_merge_request_discussion, notes_by_epic_discussion, notes_by_commented_commit_discussion */
async function threadsOf(db: Reader, caller: Caller, thing: Noteable, ids: readonly string[]): Promise<Thread[]> {
  if (ids.length === 0) return [];
  const notes = await readableNotes(db, caller, thing)
    .select(listedColumns)
    .where('notes.discussion_id', 'in', ids)
    .orderBy('notes.created_at')
    .orderBy('notes.id')
    .execute();
  const byThread = Map.groupBy(notes, ({ discussion_id }) => discussion_id);
  return ids.flatMap((id) => {
    const [first, ...others] = byThread.get(id) ?? [];
    return first === undefined ? [] : [{ id, notes: [first, ...others] as const }];
  });
}

/** One of them; null: it is none of this thing, or hidden from the caller. */
export async function findThread(db: Reader, caller: Caller, thing: Noteable, id: string): Promise<Thread | null> {
  return (await threadsOf(db, caller, thing, [id]))[0] ?? null;
}

/** Whether it can be resolved: said by somebody in a thread, of something that isn't done with. */
export function isResolvable({ type, system, commented_commit_id: commit }: NoteListed): boolean {
  return type !== null && !system && commit === null;
}

/** Whether that has still to be done. */
export function isOpen(note: NoteListed): boolean {
  return isResolvable(note) && note.resolved_at === null;
}

/** A plain comment begins a thread by its first answer. index: notes primary key */
export async function makeThread(tx: Transaction, { id }: NoteListed): Promise<void> {
  await tx
    .updateTable('notes')
    .set({ type: 'DiscussionNote' })
    .where('id', '=', id)
    .where('type', 'is', null)
    .execute();
}

/** Resolved by this user, or (null) open again; those that are so already stay as they are. Says how many are not as they were. index: notes primary key */
export async function setResolved(
  tx: Transaction,
  notes: readonly NoteListed[],
  by: { readonly id: number } | null,
): Promise<number> {
  const ids = notes.filter(isResolvable).map(({ id }) => id);
  if (ids.length === 0) return 0;
  const { numUpdatedRows } = await tx
    .updateTable('notes')
    .set(by === null ? { resolved_at: null, resolved_by_id: null } : { resolved_at: tx.now, resolved_by_id: by.id })
    .where(isAmong(tx, sql.ref<number>('id'), ids))
    .where('resolved_at', by === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
