import { type SqlBool, sql } from 'kysely';
import { ALL_THREADS_RESOLVED_TEXT, getForeignKeyColumn, type NoteTarget } from '#activity/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { mayInParent } from '#authorization/abilities.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type Page, paginate } from '#database/page.ts';
import { findMergeRequestsWithOpenThreads, IS_OPEN_THREAD_NOTE } from '#domain/threads.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isLockedOut, type Noteable, type NoteableContext, type NoteableKind } from '#http/access/noteables.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { listColumns, type NoteListRow, selectReadableNotes } from './store.ts';

// Rows of notes, and threads of notes. This module has no endpoints; those of notes, threads and issues use it.

export {
  countNotes,
  deleteNoteRow,
  findNote,
  insertNote,
  isNoteOnNoteable,
  listNotes,
  loadNotesByIds,
  loadNoteTexts,
  mayReadInternal,
  type NoteListRow,
  type NoteRow,
  type NoteThreadFields,
  sumNoteSizes,
  updateNoteBody,
} from './store.ts';

// Notes grouped by thread; a plain comment is a thread of its own (contract/planning.md §3.12).

/** The notes of a thread that the caller may read, oldest first. */
export interface Thread {
  readonly id: string;
  readonly notes: readonly [NoteListRow, ...NoteListRow[]];
}

/**
 * Returns one page of the threads on a noteable, ordered by their first notes, each with all its notes. index:
 * notes_by_issue_created, notes_by_merge_request_created, notes_by_epic_created, notes_by_commented_commit,
 * notes_by_issue_discussion, notes_by_merge_request_discussion, notes_by_epic_discussion, notes_by_commented_commit_discussion
 */
export async function listThreads(
  db: Reader,
  caller: Caller,
  noteable: Noteable,
  page: OffsetRequest,
): Promise<Page<Thread>> {
  const firstNotes = selectReadableNotes(db, caller, noteable)
    .select('notes.discussion_id')
    .where(isFirstOfThread(noteable))
    .orderBy('notes.created_at')
    .orderBy('notes.id');
  const result = await paginate(db, firstNotes, page);
  const ids = result.items.map(({ discussion_id }) => discussion_id);
  return { ...result, items: await loadThreads(db, caller, noteable, ids) };
}

/**
 * Matches the first note of each thread. It considers notes that the caller may not read too, because callers who may read one note
 * of a thread may read all.
 */
function isFirstOfThread({ type }: NoteTarget) {
  const column = getForeignKeyColumn(type);
  return sql<SqlBool>`not exists (
    select 1 from notes as earlier
    where ${sql.ref(`earlier.${column}`)} = ${sql.ref(`notes.${column}`)} and earlier.discussion_id = notes.discussion_id
      and (earlier.created_at, earlier.id) < (notes.created_at, notes.id))`;
}

/**
 * Returns the threads with these ids in this order; threads without readable notes are omitted. index: notes_by_issue_discussion,
 * notes_by_merge_request_discussion, notes_by_epic_discussion, notes_by_commented_commit_discussion
 */
async function loadThreads(db: Reader, caller: Caller, noteable: Noteable, ids: readonly string[]): Promise<Thread[]> {
  if (ids.length === 0) return [];
  const notes = await selectReadableNotes(db, caller, noteable)
    .select(listColumns)
    .where('notes.discussion_id', 'in', ids)
    .orderBy('notes.created_at')
    .orderBy('notes.id')
    .execute();
  const notesByThread = Map.groupBy(notes, ({ discussion_id }) => discussion_id);
  return ids.flatMap((id) => {
    const [firstNote, ...replies] = notesByThread.get(id) ?? [];
    return firstNote === undefined ? [] : [{ id, notes: [firstNote, ...replies] as const }];
  });
}

/** Returns the thread, or null if it belongs to another noteable or the caller may not read it. */
export async function findThread(db: Reader, caller: Caller, noteable: Noteable, id: string): Promise<Thread | null> {
  return (await loadThreads(db, caller, noteable, [id]))[0] ?? null;
}

/**
 * Returns the threads of a merge request that have an unresolved note, in the order of their first notes.
 * index: notes_open_by_merge_request, notes_by_merge_request_discussion
 */
export async function listUnresolvedThreads(db: Reader, caller: Caller, mergeRequest: Noteable): Promise<Thread[]> {
  const rows = await selectReadableNotes(db, caller, mergeRequest)
    .select('notes.discussion_id')
    .distinct()
    .where('notes.merge_request_id', 'is not', null)
    .where(IS_OPEN_THREAD_NOTE)
    .execute();
  const ids = rows.map(({ discussion_id }) => discussion_id);
  const threads = await loadThreads(db, caller, mergeRequest, ids);
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
  return threads.sort(({ notes: [a] }, { notes: [b] }) => compare(a.created_at, b.created_at) || compare(a.id, b.id));
}

/** Returns whether the note can be resolved: a user's note in a thread that is not on a commit. */
export function isResolvable({ type, system, commented_commit_id: commit }: NoteListRow): boolean {
  return type !== null && !system && commit === null;
}

/** Returns whether the note is resolvable and not resolved. */
export function isUnresolved(note: NoteListRow): boolean {
  return isResolvable(note) && note.resolved_at === null;
}

/** Converts a plain comment to a thread when it gets its first reply. index: notes primary key */
export async function convertToThread(tx: Transaction, { id }: NoteListRow): Promise<void> {
  await tx
    .updateTable('notes')
    .set({ type: 'DiscussionNote' })
    .where('id', '=', id)
    .where('type', 'is', null)
    .execute();
}

/** Resolves notes by this user, or reopens them (null). Returns how many notes changed. index: notes primary key */
async function setResolved(
  tx: Transaction,
  notes: readonly NoteListRow[],
  resolver: { readonly id: number } | null,
): Promise<number> {
  const ids = notes.filter(isResolvable).map(({ id }) => id);
  if (ids.length === 0) return 0;
  const { numUpdatedRows } = await tx
    .updateTable('notes')
    .set(
      resolver === null
        ? { resolved_at: null, resolved_by_id: null }
        : { resolved_at: tx.now, resolved_by_id: resolver.id },
    )
    .where(isInIds(tx, sql.ref<number>('id'), ids))
    .where('resolved_at', resolver === null ? 'is not' : 'is', null)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Returns the lock key for creating, deleting and resolving notes of a noteable, because they are counted. */
export function notesLockKey({ noteable }: { readonly noteable: Noteable }): string {
  return noteable.type === 'Commit' ? `notes on ${noteable.commit.id}` : `notes on ${noteable.type} ${noteable.id}`;
}

/** Returns whether a caller who may read the noteable may comment on it. */
export function mayComment(caller: Caller, noteable: Noteable): boolean {
  return mayInParent(caller, 'create_note', noteable) && !isLockedOut(caller, noteable);
}

/**
 * Returns whether the caller may resolve the thread: callers with at least the Developer role, the author of its first note, and the
 * author of the noteable may.
 */
export function mayResolve(caller: SignedInCaller, noteable: Noteable, { notes: [firstNote] }: Thread): boolean {
  if (!mayComment(caller, noteable)) return false;
  const isCaller = (authorId: number | null) => authorId === caller.user.id;
  return isCaller(firstNote.author_id) || isCaller(noteable.authorId) || mayInParent(caller, 'resolve_note', noteable);
}

interface Resolution {
  readonly resolved: boolean;
  /** Only this note of the thread; all if absent. */
  readonly noteId?: number;
}

/** Resolves or reopens a thread. Notes already in that state are kept. Throws `AccessRevoked` if the caller lost the right. */
export async function resolveThread(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  thread: Pick<Thread, 'id'>,
  resolution: Resolution,
): Promise<Thread | Failure<'threadNotFound'>> {
  return resolveCurrentThread(uow, await kind.reload(uow, uow.actor, requestedNoteable), thread, resolution);
}

/** Like `resolveThread`, for a noteable that was loaded in this unit of work. */
export async function resolveCurrentThread(
  uow: UnitOfWork<SignedInCaller>,
  { noteable, caller }: NoteableContext<Noteable>,
  { id }: Pick<Thread, 'id'>,
  { resolved, noteId }: Resolution,
): Promise<Thread | Failure<'threadNotFound'>> {
  const thread = await findThread(uow, caller, noteable, id);
  if (thread === null) return fail('threadNotFound');
  if (!mayResolve(caller, noteable, thread)) throw new AccessRevoked();
  const isSelected = (note: NoteListRow) => isResolvable(note) && (noteId === undefined || note.id === noteId);
  const changedCount = await setResolved(uow, thread.notes.filter(isSelected), resolved ? caller.user : null);
  if (changedCount > 0 && resolved && (await publishIfAllThreadsResolved(uow, noteable))) {
    await uow.record({ noteOn: { type: 'MergeRequest', id: noteable.id }, text: ALL_THREADS_RESOLVED_TEXT });
  }
  return (await findThread(uow, caller, noteable, id)) ?? fail('threadNotFound');
}

/** Resolves or reopens one note of a thread. */
export async function resolveNote(
  uow: UnitOfWork<SignedInCaller>,
  kind: NoteableKind,
  requestedNoteable: Noteable,
  { id, discussion_id }: NoteListRow,
  isResolved: boolean,
): Promise<NoteListRow | Failure<'threadNotFound'>> {
  const thread = await resolveThread(
    uow,
    kind,
    requestedNoteable,
    { id: discussion_id },
    { resolved: isResolved, noteId: id },
  );
  if (isFailure(thread)) return thread;
  return thread.notes.find((note) => note.id === id) ?? fail('threadNotFound');
}

/** Publishes `threads-resolved` if a merge request has no unresolved thread left. Returns whether it did. */
export async function publishIfAllThreadsResolved(uow: UnitOfWork, { type, id, project }: Noteable): Promise<boolean> {
  if (type !== 'MergeRequest' || (await findMergeRequestsWithOpenThreads(uow, [id])).has(id)) return false;
  await uow.publish('threads-resolved', { projectId: project.id, mergeRequestId: id });
  return true;
}
