import { sql } from 'kysely';
import type { Standing } from '#authorization/current-access.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';
import { readWiki } from '#domain/wikis.ts';
import type { Merge } from '#events/domain-events.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { momentAfter } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isAt, type Place } from '../repository.ts';

/**
 * The rows that bridge the database and the repository: a ref cannot move inside a transaction, so what is about to
 * move is written down before and struck out in the transaction that records it.
 */

/** Afterwards the row counts as left over, unless its process has prolonged it. */
export const LEASE_MS = 60_000;

/** Whose refs they are: those of a project's repository, or of a wiki's. */
export type RefOwner =
  | { readonly projectId: number; readonly wikiId?: undefined }
  | { readonly wikiId: number; readonly projectId?: undefined };

export type Intent = RefOwner & Intended;

interface Intended {
  readonly id: number;
  readonly userId: number | null;
  readonly changes: readonly RefChange[];
  /** The merge that it is, told to all with what has moved. */
  readonly merge?: Merge | undefined;
  /** What the push has asked for besides, told to all with what has moved. */
  readonly options?: readonly string[] | undefined;
  /** Which pages and folders of a wiki get other names by it: git would only guess. */
  readonly renamed?: readonly Renaming[] | undefined;
}

/** The path of a file, or that of a folder with a slash at its end, before and after. */
export type Renaming = readonly [from: string, to: string];

/** What Hearth moves by itself. `userId`: in whose name; null is nobody's, and makes no push event. */
export interface ByServer {
  readonly server: true;
  readonly userId: number | null;
}

interface NewIntent extends Pick<Intended, 'changes' | 'merge' | 'options' | 'renamed'> {
  readonly of: RefOwner;
  /** Where the refs will be moved, and the objects are that they will point to. */
  readonly at: Place;
  /** It makes the first branch, so that another one that is on its way comes before it. */
  readonly first?: boolean | undefined;
}

/**
 * Writes down what is about to move; refused while the repository is read-only, or when it has been moved to another place
 * since the mover has looked; and where a `first` branch is not: of
 * several processes the database decides which of theirs is. Whoever moves it has been read again in this transaction, with
 * his rights (`beginMove`).
 */
export async function insertIntent(
  tx: Transaction,
  { of, at, changes, merge, options, renamed, first = false }: NewIntent,
  by: Pick<Standing, 'caller'> | ByServer,
): Promise<Intent | Failure<'readOnly' | 'notFirst'>> {
  const userId = 'server' in by ? by.userId : by.caller.user.id;
  // Transactions are serializable: a move of the storage either sees this row or has made the repository read-only before.
  const repository = of.wikiId === undefined ? await stateOf(tx, of.projectId) : await readWiki(tx, of.wikiId);
  if (repository == null || repository.read_only || !isAt(repository, at)) return fail('readOnly');
  if (first && (!repository.empty || (await areMoving(tx, of)))) return fail('notFirst');
  const { id } = await tx
    .insertInto('ref_intents')
    .values({
      project_id: of.projectId ?? null,
      wiki_id: of.wikiId ?? null,
      user_id: userId,
      changes: JSON.stringify(changes),
      merge_request_id: merge?.mergeRequestId ?? null,
      merge: merge === undefined ? null : JSON.stringify(merge),
      options: options === undefined ? null : JSON.stringify(options),
      renamed: renamed === undefined ? null : JSON.stringify(renamed),
      lease_until: momentAfter(tx.now, LEASE_MS),
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...of, id, userId, changes, merge, options, renamed };
}

/** It is still on its way. index: ref_intents primary key */
export async function prolongIntent(tx: Transaction, id: number): Promise<void> {
  const lease_until = momentAfter(tx.now, LEASE_MS);
  await tx.updateTable('ref_intents').set({ lease_until }).where('id', '=', id).execute();
}

// index: repositories primary key
function stateOf(tx: Transaction, projectId: number) {
  return tx
    .selectFrom('repositories')
    .select(['read_only', 'empty', 'storage', 'disk_path'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** Is somebody about to merge this merge request? index: ref_intents_by_merge_request */
export function isBeingMerged(db: Reader, mergeRequestId: number): Promise<boolean> {
  return hasRow(db.selectFrom('ref_intents').select('id').where('merge_request_id', '=', mergeRequestId));
}

/** The same of several. index: ref_intents_by_merge_request */
export async function beingMerged(db: Reader, mergeRequestIds: readonly number[]): Promise<ReadonlySet<number | null>> {
  const ids = isAmong(db, sql<number>`merge_request_id`, mergeRequestIds);
  const rows = await db.selectFrom('ref_intents').select('merge_request_id').where(ids).execute();
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}

/**
 * Strikes the row out, and tells whose and what it is by now: a user who has been deleted meanwhile is nobody, and a merge
 * of what has been deleted is none. Null when somebody else has settled it already: then there is nothing left to record.
 */
export async function takeIntent(tx: Transaction, id: number): Promise<Pick<Intended, 'userId' | 'merge'> | null> {
  const taken = await tx
    .deleteFrom('ref_intents')
    .where('id', '=', id)
    .returning(['user_id', 'merge_request_id', 'merge'])
    .executeTakeFirst();
  return taken === undefined ? null : { userId: taken.user_id, merge: mergeOf(taken) };
}

interface MergeColumns {
  readonly merge_request_id: number | null;
  readonly merge: string | null;
}

function mergeOf({ merge_request_id, merge }: MergeColumns): Merge | undefined {
  return merge_request_id === null || merge === null ? undefined : (JSON.parse(merge) as Merge);
}

/** Is somebody about to move refs of this repository, or may he have moved them and has not said so yet? */
export function isMoving(tx: Transaction, projectId: number): Promise<boolean> {
  return areMoving(tx, { projectId });
}

/** The same of a wiki's repository. */
export function areMoving(tx: Transaction, of: RefOwner): Promise<boolean> {
  return hasRow(intentsOf(tx, of).select('id'));
}

/** index: ref_intents_by_project, ref_intents_by_wiki */
function intentsOf(db: Reader, { projectId, wikiId }: RefOwner) {
  const intents = db.selectFrom('ref_intents');
  return wikiId === undefined ? intents.where('project_id', '=', projectId) : intents.where('wiki_id', '=', wikiId);
}

const changesIn = (rows: readonly { readonly changes: string }[]) =>
  rows.flatMap(({ changes }) => JSON.parse(changes) as RefChange[]);

/** What others than this one are about to do to refs of the same repository, or have done and not said so yet. */
export async function changesOfOthers(db: Reader, { id, projectId, wikiId }: Intent): Promise<RefChange[]> {
  const others = intentsOf(db, wikiId === undefined ? { projectId } : { wikiId }).where('id', '<>', id);
  return changesIn(await others.select('changes').execute());
}

/** Is somebody about to delete this ref? */
export async function isBeingDeleted(tx: Transaction, projectId: number, ref: string): Promise<boolean> {
  const changes = changesIn(await intentsOf(tx, { projectId }).select('changes').execute());
  return changes.some((change) => change.ref === ref && change.newId === zeroId);
}

/** For the deletion of a user: what has moved stays, but was nobody. index: ref_intents_by_user */
export async function forgetIntentUser(tx: Transaction, userId: number): Promise<void> {
  await tx.updateTable('ref_intents').set({ user_id: null }).where('user_id', '=', userId).execute();
}

/** One whose process has not settled it in time. */
export type LeftIntent = Intent & { readonly createdAt: string };

/** Those that are left, by id, those behind `after`. `before`: an ISO timestamp. */
export async function leftIntents(db: Reader, before: string, after: number, limit: number): Promise<LeftIntent[]> {
  // index: ref_intents primary key; few rows are in it at any moment
  const rows = await db
    .selectFrom('ref_intents')
    .selectAll()
    .where('lease_until', '<=', before)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...(row.wiki_id === null ? { projectId: row.project_id as number } : { wikiId: row.wiki_id }),
    id: row.id,
    createdAt: row.created_at,
    userId: row.user_id,
    changes: JSON.parse(row.changes) as RefChange[],
    merge: mergeOf(row),
    options: row.options === null ? undefined : (JSON.parse(row.options) as string[]),
    renamed: row.renamed === null ? undefined : (JSON.parse(row.renamed) as Renaming[]),
  }));
}
