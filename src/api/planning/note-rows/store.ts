import { sql } from 'kysely';
import {
  generateDiscussionId,
  getForeignKeyColumn,
  type NoteTarget,
  noteColumns,
  toResourceColumns,
} from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { NoteType } from '#database/schema.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { Noteable } from '#http/access/noteables.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { IMPORTED_VALUES, noteableVisibleTo } from '../issuables/index.ts';

export type NoteRow = Columns<'notes'>;

/** A note without its body. The entity loads the bodies of a response in one query. */
export type NoteListRow = Omit<NoteRow, 'body'>;

/** All columns of a note except its body. */
export const listColumns = noteColumns.filter((name) => name !== 'body').map((name) => `notes.${name}` as const);

interface NoteListParams {
  readonly order_by: 'created_at' | 'updated_at';
  readonly sort: 'asc' | 'desc';
  readonly activity_filter: 'all_notes' | 'only_comments' | 'only_activity';
}

/**
 * Returns one page of the notes of a noteable that the caller may read. index: notes_by_issue_created, notes_by_issue_updated,
 * notes_by_merge_request_created, notes_by_merge_request_updated, notes_by_epic_created, notes_by_epic_updated
 */
export function listNotes(
  db: Reader,
  caller: Caller,
  noteable: Noteable,
  { order_by, sort, activity_filter }: NoteListParams,
  page: OffsetRequest,
): Promise<Page<NoteListRow>> {
  const readableNotes = selectReadableNotes(db, caller, noteable).select(listColumns);
  const filteredNotes =
    activity_filter === 'all_notes'
      ? readableNotes
      : readableNotes.where('system', '=', activity_filter === 'only_activity');
  return paginate(db, filteredNotes.orderBy(`notes.${order_by}`, sort).orderBy('notes.id', sort), page);
}

/** Returns the note of the noteable if the caller may read it, else null. index: notes primary key */
export async function findNote(db: Reader, caller: Caller, noteable: Noteable, id: number): Promise<NoteRow | null> {
  return (
    (await selectReadableNotes(db, caller, noteable)
      .selectAll('notes')
      .where('notes.id', '=', id)
      .executeTakeFirst()) ?? null
  );
}

/** Returns whether the note belongs to the noteable, without an access check. index: notes primary key */
export function isNoteOnNoteable(db: Reader, { type, id }: NoteTarget, noteId: number): Promise<boolean> {
  return hasRow(db.selectFrom('notes').select('id').where('id', '=', noteId).where(getForeignKeyColumn(type), '=', id));
}

/** Selects the notes of the noteable that the caller may read. */
export function selectReadableNotes(db: Reader, caller: Caller, noteable: Noteable) {
  const query = db.selectFrom('notes').where(`notes.${getForeignKeyColumn(noteable.type)}`, '=', noteable.id);
  const visibleNotes = mayReadInternal(caller, noteable) ? query : query.where('notes.internal', '=', false);
  return visibleNotes.where(referencedNoteableVisibleTo(caller, db.today));
}

/** Returns whether the caller may read internal notes of this project or group. */
export const mayReadInternal = (caller: Caller, parent: GroupOrProject): boolean =>
  mayInParent(caller, 'read_internal_note', parent);

/**
 * Matches notes without a referenced noteable, or whose referenced noteable the caller may read. System notes about a mention, a move
 * or a relation refer to one.
 */
function referencedNoteableVisibleTo(caller: Caller, today: string) {
  return noteableVisibleTo<'notes'>(caller, today, {
    Issue: 'notes.mentioning_issue_id',
    MergeRequest: 'notes.mentioning_merge_request_id',
    Epic: 'notes.mentioning_epic_id',
  });
}

/** Returns notes without bodies by id, without an access check; missing ones are omitted. index: notes primary key */
export const loadNotesByIds = prepareForIds<NoteListRow>((db, ids) =>
  db.selectFrom('notes').select(listColumns).where('id', 'in', ids),
);

/** Returns the total size of the bodies of these notes in bytes. index: notes primary key */
export async function sumNoteSizes(db: Reader, ids: readonly number[]): Promise<number> {
  const { size } = await db
    .selectFrom('notes')
    .select(sql<number>`coalesce(sum(octet_length(notes.body)), 0)`.as('size'))
    .where(isInIds(db, sql.ref<number>('notes.id'), ids))
    .executeTakeFirstOrThrow();
  return Number(size);
}

/** Returns bodies and authors of notes by id, without an access check. index: notes primary key */
export async function loadNoteTexts(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { readonly username: string; readonly body: string }>> {
  const rows = await db
    .selectFrom('notes')
    .innerJoin('users', 'users.id', 'notes.author_id')
    .select(['notes.id', 'notes.body', 'users.username'])
    .where(isInIds(db, sql.ref<number>('notes.id'), ids))
    .execute();
  return new Map(rows.map(({ id, ...text }) => [id, text]));
}

/** Counts the notes of the noteable, up to `limit`. index: notes_by_issue_created, notes_by_commented_commit */
export async function countNotes(db: Reader, { type, id }: NoteTarget, limit: number): Promise<number> {
  const limitedNotes = db
    .selectFrom('notes')
    .select('notes.id')
    .where(getForeignKeyColumn(type), '=', id)
    .limit(limit)
    .as('limited_notes');
  const { count } = await db
    .selectFrom(limitedNotes)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** The columns of a note that belongs to a thread. */
export interface NoteThreadFields {
  /** The discussion id; null starts a new thread. */
  readonly id: string | null;
  readonly type: NoteType | null;
  /** JSON of the position in a diff, or null. */
  readonly position: string | null;
  /** The commit, if the position is in the diff of a single commit of a merge request. */
  readonly commitSha: string | null;
  readonly resolved: { readonly at: string; readonly by: number | null } | null;
}

interface NewNoteRow {
  readonly authorId: number;
  readonly body: string;
  readonly internal: boolean;
  readonly createdAt: string;
  /** Present for a note in a thread. */
  readonly thread?: NoteThreadFields | null;
  /** Present for an imported note. */
  readonly importedState?: { readonly system: boolean; readonly updatedAt: string };
}

/** Inserts a note and returns its row. */
export async function insertNote(
  tx: Transaction,
  noteable: NoteTarget,
  { authorId, body, internal, createdAt, thread, importedState }: NewNoteRow,
): Promise<NoteRow> {
  return tx
    .insertInto('notes')
    .values({
      ...toResourceColumns({ type: noteable.type, id: noteable.id }),
      discussion_id: thread?.id ?? generateDiscussionId(),
      type: thread?.type ?? null,
      position: thread?.position ?? null,
      commit_sha: thread?.commitSha ?? null,
      resolved_at: thread?.resolved?.at ?? null,
      resolved_by_id: thread?.resolved?.by ?? null,
      author_id: authorId,
      body,
      system: importedState?.system ?? false,
      kind: null,
      internal,
      ...(importedState && IMPORTED_VALUES),
      created_at: createdAt,
      updated_at: importedState?.updatedAt ?? createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Sets the body. Returns the updated note, or undefined if it does not exist. */
export async function updateNoteBody(tx: Transaction, id: number, body: string): Promise<NoteRow | undefined> {
  return tx
    .updateTable('notes')
    .set({ body, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes the note and returns whether it existed. */
export async function deleteNoteRow(tx: Transaction, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('notes').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}
