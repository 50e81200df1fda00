import { sql } from 'kysely';
import type { CurrentAccess } from '#authorization/current-access.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import { findSnippet, isReadOnlySnippet, type SnippetPatch } from '#domain/snippets.ts';
import { findWikiById } from '#domain/wikis.ts';
import type { Merge } from '#events/domain-events.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isSameLocation, type RepositoryLocation } from '../repository.ts';
import type { RefServices } from '../services.ts';

// Rows that bridge the database and the repository. A ref cannot move inside a transaction, so an intent is stored
// before the move and deleted in the transaction that records it.

/** Lease in milliseconds. Afterwards the intent counts as abandoned, unless its process has extended the lease. */
const LEASE_MS = 60_000;

/** Owner of the refs: the repository of a project, a wiki or a snippet. */
type RefOwner =
  | { readonly projectId: number; readonly wikiId?: undefined; readonly snippetId?: undefined }
  | { readonly wikiId: number; readonly projectId?: undefined; readonly snippetId?: undefined }
  | { readonly snippetId: number; readonly projectId?: undefined; readonly wikiId?: undefined };

export type Intent = RefOwner & IntentDetails;

interface IntentDetails {
  readonly id: number;
  readonly userId: number | null;
  readonly changes: readonly RefChange[];
  /** The merge that this move completes; part of the published event. */
  readonly merge?: Merge | undefined;
  /** Push options; part of the published event. */
  readonly options?: readonly string[] | undefined;
  /** Renamed pages and folders of a wiki; git itself only guesses renames. */
  readonly renamed?: readonly PathRename[] | undefined;
  /** Columns of a snippet that change together with its files. */
  readonly snippetPatch?: SnippetPatch | undefined;
}

/** Path of a file, or of a folder with a trailing slash, before and after. */
export type PathRename = readonly [from: string, to: string];

/** The server itself as the mover of refs, on behalf of the user `userId`. Null creates no push event. */
export interface ServerActor {
  readonly server: true;
  readonly userId: number | null;
}

interface CreateIntentInput extends Pick<IntentDetails, 'changes' | 'merge' | 'options' | 'renamed' | 'snippetPatch'> {
  readonly owner: RefOwner;
  /** Location of the repository whose refs move. */
  readonly location: RepositoryLocation;
  /** Whether the repository must be empty and without other pending moves. */
  readonly mustBeFirstBranch?: boolean | undefined;
}

/**
 * Creates an intent. Fails if the repository is read-only or was moved to another location since it was read, or if the
 * branch must be the first one but is not; the database decides between concurrent intents. `beginMove` has reloaded the
 * caller's access and permission in this transaction.
 */
export async function createIntent(
  tx: Transaction,
  { owner, location, changes, merge, options, renamed, snippetPatch, mustBeFirstBranch = false }: CreateIntentInput,
  actor: Pick<CurrentAccess, 'caller'> | ServerActor,
): Promise<Intent | Failure<'readOnly' | 'notFirst'>> {
  const userId = 'server' in actor ? actor.userId : actor.caller.user.id;
  // Transactions are serializable: a storage move either sees this row or has made the repository read-only before.
  const repository = await findRepositoryState(tx, owner);
  if (repository === null || repository.read_only || !isSameLocation(repository, location)) return fail('readOnly');
  if (mustBeFirstBranch && (!repository.empty || (await hasIntent(tx, owner)))) return fail('notFirst');
  const { id } = await tx
    .insertInto('ref_intents')
    .values({
      project_id: owner.projectId ?? null,
      wiki_id: owner.wikiId ?? null,
      snippet_id: owner.snippetId ?? null,
      user_id: userId,
      changes: JSON.stringify(changes),
      merge_request_id: merge?.mergeRequestId ?? null,
      merge: merge === undefined ? null : JSON.stringify(merge),
      options: options === undefined ? null : JSON.stringify(options),
      renamed: renamed === undefined ? null : JSON.stringify(renamed),
      snippet_patch: snippetPatch === undefined ? null : JSON.stringify(snippetPatch),
      lease_until: addMilliseconds(tx.now, LEASE_MS),
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { ...owner, id, userId, changes, merge, options, renamed, snippetPatch };
}

/** Extends the lease of an intent. index: ref_intents primary key */
async function extendIntentLease(tx: Transaction, id: number): Promise<void> {
  const lease_until = addMilliseconds(tx.now, LEASE_MS);
  await tx.updateTable('ref_intents').set({ lease_until }).where('id', '=', id).execute();
}

interface RepositoryState extends RepositoryLocation, Columns<'repositories', 'read_only' | 'empty'> {}

async function findRepositoryState(
  tx: Transaction,
  { projectId, wikiId, snippetId }: RefOwner,
): Promise<RepositoryState | null> {
  if (wikiId !== undefined) return findWikiById(tx, wikiId);
  if (snippetId !== undefined) {
    const snippet = await findSnippet(tx, snippetId);
    return snippet && { ...snippet, read_only: isReadOnlySnippet(snippet) };
  }
  // index: repositories primary key
  const row = await tx
    .selectFrom('repositories')
    .select(['read_only', 'empty', 'storage', 'disk_path'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns whether this merge request is being merged. index: ref_intents_by_merge_request */
export function isBeingMerged(db: Reader, mergeRequestId: number): Promise<boolean> {
  return hasRow(db.selectFrom('ref_intents').select('id').where('merge_request_id', '=', mergeRequestId));
}

/** Returns the ids of the merge requests that are being merged. index: ref_intents_by_merge_request */
export async function loadMergeRequestsBeingMerged(
  db: Reader,
  mergeRequestIds: readonly number[],
): Promise<ReadonlySet<number | null>> {
  const ids = isInIds(db, sql<number>`merge_request_id`, mergeRequestIds);
  const rows = await db.selectFrom('ref_intents').select('merge_request_id').where(ids).execute();
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}

/**
 * Deletes the intent and returns its current user and merge; each is empty if the user or the merge request was deleted
 * meanwhile. Returns null if another process has completed the intent: then it has been recorded.
 */
export async function deleteIntent(
  tx: Transaction,
  id: number,
): Promise<Pick<IntentDetails, 'userId' | 'merge'> | null> {
  const deletedIntent = await tx
    .deleteFrom('ref_intents')
    .where('id', '=', id)
    .returning(['user_id', 'merge_request_id', 'merge'])
    .executeTakeFirst();
  return deletedIntent === undefined ? null : { userId: deletedIntent.user_id, merge: parseMerge(deletedIntent) };
}

type MergeColumns = Columns<'ref_intents', 'merge_request_id' | 'merge'>;

function parseMerge({ merge_request_id, merge }: MergeColumns): Merge | undefined {
  return merge_request_id === null || merge === null ? undefined : (JSON.parse(merge) as Merge);
}

/** Returns whether refs of this project are being moved, or were moved and are not recorded yet. */
export function hasPendingRefUpdate(tx: Transaction, projectId: number): Promise<boolean> {
  return hasIntent(tx, { projectId });
}

/** Returns whether refs of this owner are being moved, or were moved and are not recorded yet. */
export function hasIntent(tx: Transaction, owner: RefOwner): Promise<boolean> {
  return hasRow(selectIntents(tx, owner).select('id'));
}

/** Selects the intents of an owner. index: ref_intents_by_project, ref_intents_by_wiki, ref_intents_by_snippet */
function selectIntents(db: Reader, { projectId, wikiId, snippetId }: RefOwner) {
  const intents = db.selectFrom('ref_intents');
  if (wikiId !== undefined) return intents.where('wiki_id', '=', wikiId);
  return snippetId === undefined
    ? intents.where('project_id', '=', projectId)
    : intents.where('snippet_id', '=', snippetId);
}

const parseChanges = (rows: readonly { readonly changes: string }[]) =>
  rows.flatMap(({ changes }) => JSON.parse(changes) as RefChange[]);

/** Returns the changes of other pending intents of the same repository. */
export async function listChangesOfOtherIntents(db: Reader, intent: Intent): Promise<RefChange[]> {
  const otherIntents = selectIntents(db, intent).where('id', '<>', intent.id);
  return parseChanges(await otherIntents.select('changes').execute());
}

/** Returns whether a pending intent deletes this ref. */
export async function isBeingDeleted(tx: Transaction, projectId: number, ref: string): Promise<boolean> {
  const changes = parseChanges(await selectIntents(tx, { projectId }).select('changes').execute());
  return changes.some((change) => change.ref === ref && change.newId === ZERO_ID);
}

/** Clears a deleted user from their intents, which remain. index: ref_intents_by_user */
export async function clearIntentUser(tx: Transaction, userId: number): Promise<void> {
  await tx.updateTable('ref_intents').set({ user_id: null }).where('user_id', '=', userId).execute();
}

/** An intent whose lease has expired. */
export type AbandonedIntent = Intent & { readonly createdAt: string };

/** Returns a page of abandoned intents by id, after the id `after`. `before`: an ISO timestamp. */
export async function listAbandonedIntents(
  db: Reader,
  before: string,
  after: number,
  limit: number,
): Promise<AbandonedIntent[]> {
  // index: ref_intents primary key; few rows are in it at any time
  const rows = await db
    .selectFrom('ref_intents')
    .selectAll()
    .where('lease_until', '<=', before)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...toRefOwner(row),
    id: row.id,
    createdAt: row.created_at,
    userId: row.user_id,
    changes: JSON.parse(row.changes) as RefChange[],
    merge: parseMerge(row),
    options: row.options === null ? undefined : (JSON.parse(row.options) as string[]),
    renamed: row.renamed === null ? undefined : (JSON.parse(row.renamed) as PathRename[]),
    snippetPatch: row.snippet_patch === null ? undefined : (JSON.parse(row.snippet_patch) as SnippetPatch),
  }));
}

type OwnerColumns = Columns<'ref_intents', 'project_id' | 'wiki_id' | 'snippet_id'>;

function toRefOwner({ project_id, wiki_id, snippet_id }: OwnerColumns): RefOwner {
  if (wiki_id !== null) return { wikiId: wiki_id };
  return snippet_id === null ? { projectId: project_id! } : { snippetId: snippet_id };
}

/** Milliseconds between two extensions; two of three may fail. */
const HEARTBEAT_MS = LEASE_MS / 3;

/**
 * Extends the lease of an intent regularly while git moves its refs, and returns a function that stops this. Without a lease
 * another process would complete the intent early, and later moves would cause no events. No extension follows once the
 * promise of that function has resolved.
 */
export function keepIntentLease(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  { id }: Intent,
): () => Promise<void> {
  let lastExtension = Promise.resolve();
  const extend = () => {
    lastExtension = database
      .transaction((tx) => extendIntentLease(tx, id), { exemptFromLimit: true })
      .catch((error: unknown) => git.log('ref_intent_not_prolonged', { intent: id, err: error }));
  };
  const timer = setInterval(extend, HEARTBEAT_MS);
  return () => {
    clearInterval(timer);
    return lastExtension;
  };
}
