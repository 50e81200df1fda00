import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { SnippetsTable } from '#database/tables/snippets.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type Snippet = Selectable<SnippetsTable>;

/** Returns whether the caller may read the snippet (contract/operations.md §2.1). */
export function canReadSnippet(caller: Caller, { visibility, author_id }: Snippet): boolean {
  if (isAdministrator(caller) || visibility === 'public') return true;
  return caller.user !== null && (visibility === 'internal' || author_id === caller.user.id);
}

/** Returns `canReadSnippet` as a condition for lists. */
function snippetReadableBy(caller: Caller) {
  return (eb: ExpressionBuilder<Schema, 'snippets'>): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    if (caller.user === null) return eb('visibility', '=', 'public');
    return eb.or([eb('visibility', 'in', ['public', 'internal']), eb('author_id', '=', caller.user.id)]);
  };
}

/** Returns a published snippet, or null. index: snippets primary key */
export async function findSnippet(db: Reader, id: number): Promise<Snippet | null> {
  const row = await db
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .where('made', '=', true)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns a page of the snippets that the caller may read, newest first; with `storage` only those in it. */
export async function listReadableSnippets(
  db: Reader,
  caller: Caller,
  storage: string | null,
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  // index: snippets_made, snippets_by_storage
  let query = db.selectFrom('snippets').selectAll().where('made', '=', true).where(snippetReadableBy(caller));
  if (storage !== null) query = query.where('storage', '=', storage);
  return paginate(db, query.orderBy('id', 'desc'), page);
}

/** Times of creation between which snippets are listed. */
export interface SnippetPeriod {
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
}

/** Returns a page of the snippets of an author, newest first. index: snippets_by_author */
export async function listSnippetsOfAuthor(
  db: Reader,
  authorId: number,
  { created_after: after, created_before: before }: SnippetPeriod,
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  let query = db.selectFrom('snippets').selectAll().where('author_id', '=', authorId).where('made', '=', true);
  if (after) query = query.where('created_at', '>=', after);
  if (before) query = query.where('created_at', '<=', before);
  return paginate(db, query.orderBy('id', 'desc'), page);
}

/** Location of the repository of a deleted snippet. */
export type SnippetRepositoryLocation = Pick<Snippet, 'storage' | 'disk_path'>;

/** Deletes the row and returns the location of the repository. index: snippets primary key */
export async function deleteSnippetRow(tx: Transaction, id: number): Promise<SnippetRepositoryLocation | undefined> {
  return tx.deleteFrom('snippets').where('id', '=', id).returning(['storage', 'disk_path']).executeTakeFirst();
}
