import type { Selectable } from 'kysely';
import { columnOf, type Noted, newDiscussionId, noteColumns, ofResource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayAt } from '#authorization/abilities.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { type Page, paged } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { NoteType } from '#database/tables/notes.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import type { Noteable } from '#http/access/noteables.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { IMPORTED, thingVisibleTo } from '../issuables/index.ts';

/** The rows of notes. */

export type NoteRow = Selectable<Schema['notes']>;

/** As it is listed: its body is read when it is sent (`textsOf`). */
export type NoteListed = Omit<NoteRow, 'body'>;

export const listedColumns = noteColumns.filter((name) => name !== 'body').map((name) => `notes.${name}` as const);

interface ListWish {
  readonly order_by: 'created_at' | 'updated_at';
  readonly sort: 'asc' | 'desc';
  readonly activity_filter: 'all_notes' | 'only_comments' | 'only_activity';
}

/** One page of a thing's notes, of those that the caller may read. index: notes_by_issue_created, notes_by_issue_updated, notes_by_merge_request_created, notes_by_merge_request_updated, notes_by_epic_created, notes_by_epic_updated */
export function listNotes(
  db: Reader,
  caller: Caller,
  thing: Noteable,
  { order_by, sort, activity_filter }: ListWish,
  page: OffsetRequest,
): Promise<Page<NoteListed>> {
  const all = readableNotes(db, caller, thing).select(listedColumns);
  const wanted = activity_filter === 'all_notes' ? all : all.where('system', '=', activity_filter === 'only_activity');
  return paged(db, wanted.orderBy(`notes.${order_by}`, sort).orderBy('notes.id', sort), page);
}

/** One note of the thing, if the caller may read it. index: notes primary key */
export async function findNote(db: Reader, caller: Caller, thing: Noteable, id: number): Promise<NoteRow | null> {
  return (
    (await readableNotes(db, caller, thing).selectAll('notes').where('notes.id', '=', id).executeTakeFirst()) ?? null
  );
}

/** Is it a note of the thing, whoever may read it? index: notes primary key */
export function isNoteOf(db: Reader, { type, id }: Noted, noteId: number): Promise<boolean> {
  return hasRow(db.selectFrom('notes').select('id').where('id', '=', noteId).where(columnOf(type), '=', id));
}

/** What the caller may read of what was said on the thing. */
export function readableNotes(db: Reader, caller: Caller, thing: Noteable) {
  const query = db.selectFrom('notes').where(`notes.${columnOf(thing.type)}`, '=', thing.id);
  const open = mayReadInternal(caller, thing) ? query : query.where('notes.internal', '=', false);
  return open.where(mayBeTold(caller, db.today));
}

/** Notes for members only: the same for all of a project or group. */
export const mayReadInternal = (caller: Caller, place: Place): boolean => mayAt(caller, 'read_internal_note', place);

/**
 * A mention tells of the thing where it stands, a move and a relation of the other end: only whoever may read that one is
 * told.
 */
function mayBeTold(caller: Caller, today: string) {
  return thingVisibleTo<'notes'>(
    caller,
    today,
    {
      Issue: 'notes.mentioning_issue_id',
      MergeRequest: 'notes.mentioning_merge_request_id',
      Epic: 'notes.mentioning_epic_id',
    },
    true,
  );
}

/** Notes by their ids, without their bodies, whoever asks; missing ones are left out. index: notes primary key */
export const notesByIds = prepareForIds<NoteListed>((db, ids) =>
  db.selectFrom('notes').select(listedColumns).where('id', 'in', ids),
);

/** How many notes there are of the thing, counted no further than this. index: notes_by_issue_created, notes_by_commented_commit */
export async function countNotes(db: Reader, { type, id }: Noted, most: number): Promise<number> {
  const some = db.selectFrom('notes').select('notes.id').where(columnOf(type), '=', id).limit(most).as('some');
  const { count } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** What a note in a thread says of that. */
export interface InThread {
  /** Null: a thread that it begins. */
  readonly id: string | null;
  readonly type: NoteType | null;
  /** JSON; null: not in a diff. */
  readonly position: string | null;
  readonly commitSha: string | null;
  readonly resolved: { readonly at: string; readonly by: number | null } | null;
}

interface NewComment {
  readonly authorId: number;
  readonly body: string;
  readonly internal: boolean;
  readonly createdAt: string;
  /** Of one in a thread. */
  readonly thread?: InThread | null;
  /** Of one that was on another server before: what Hearth says there it has said. */
  readonly past?: { readonly system: boolean; readonly updatedAt: string };
}

export async function insertComment(
  tx: Transaction,
  thing: Noted,
  { authorId, body, internal, createdAt, thread, past }: NewComment,
): Promise<NoteRow> {
  return tx
    .insertInto('notes')
    .values({
      ...ofResource({ type: thing.type, id: thing.id }),
      discussion_id: thread?.id ?? newDiscussionId(),
      type: thread?.type ?? null,
      position: thread?.position ?? null,
      commit_sha: thread?.commitSha ?? null,
      resolved_at: thread?.resolved?.at ?? null,
      resolved_by_id: thread?.resolved?.by ?? null,
      author_id: authorId,
      body,
      system: past?.system ?? false,
      kind: null,
      internal,
      ...(past && IMPORTED),
      created_at: createdAt,
      updated_at: past?.updatedAt ?? createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateBody(tx: Transaction, id: number, body: string): Promise<NoteRow | undefined> {
  return tx
    .updateTable('notes')
    .set({ body, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** False: it was gone. */
export async function deleteNoteRow(tx: Transaction, id: number): Promise<boolean> {
  const row = await tx.deleteFrom('notes').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}
