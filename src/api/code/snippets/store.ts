import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { snippetInProjectVisibleTo, snippetVisibleTo } from '#authorization/snippets.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Snippet } from '#domain/snippets.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Timestamps of creation between which snippets are listed. */
interface SnippetPeriod {
  readonly created_after?: string | null | undefined;
  readonly created_before?: string | null | undefined;
}

/** Selects published snippets with their projects. index: projects primary key */
function selectSnippets(db: Reader, { created_after: after, created_before: before }: SnippetPeriod = {}) {
  let query = db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .selectAll('snippets')
    .where('snippets.repository_created', '=', true)
    .orderBy('snippets.id', 'desc');
  if (after) query = query.where('snippets.created_at', '>=', after);
  if (before) query = query.where('snippets.created_at', '<=', before);
  return query;
}

/** Returns a page of the snippets that the caller may read, newest first. Administrators can filter by `repository_storage`. */
export async function listReadableSnippets(
  db: Reader,
  caller: Caller,
  {
    repository_storage: storage,
    ...period
  }: SnippetPeriod & { readonly repository_storage?: string | null | undefined },
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  // index: snippets_by_repository_created, snippets_by_storage
  let query = selectSnippets(db, period).where(snippetVisibleTo(caller, db.today));
  if (storage && isAdministrator(caller)) query = query.where('snippets.storage', '=', storage);
  return paginate(db, query, page);
}

/** Returns a page of the public personal snippets, newest first. index: snippets_by_repository_created */
export async function listPublicSnippets(
  db: Reader,
  period: SnippetPeriod,
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  const query = selectSnippets(db, period)
    .where('snippets.project_id', 'is', null)
    .where('snippets.visibility', '=', 'public');
  return paginate(db, query, page);
}

/** Returns a page of the snippets of an author that the caller may read, newest first. index: snippets_by_author */
export async function listSnippetsOfAuthor(
  db: Reader,
  caller: Caller,
  authorId: number,
  period: SnippetPeriod,
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  const query = selectSnippets(db, period)
    .where('snippets.author_id', '=', authorId)
    .where(snippetVisibleTo(caller, db.today));
  return paginate(db, query, page);
}

/** Returns a page of a project's snippets that the caller may read, newest first. index: snippets_by_project */
export async function listSnippetsOfProject(
  db: Reader,
  caller: Caller,
  project: Project,
  page: OffsetRequest,
): Promise<Page<Snippet>> {
  const query = db
    .selectFrom('snippets')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('repository_created', '=', true)
    .where(snippetInProjectVisibleTo(caller, project))
    .orderBy('id', 'desc');
  return paginate(db, query, page);
}

/** Returns the full paths of projects. index: routes_by_project */
export const loadProjectPaths = prepareForIds<{ readonly id: number; readonly full_path: string }>((db, ids) =>
  db
    .selectFrom('routes')
    .select(['project_id as id', 'full_path'])
    .where('project_id', 'in', ids)
    .$narrowType<{ id: number }>(),
);

/** Location of the repository of a deleted snippet. */
export type SnippetRepositoryLocation = Pick<Snippet, 'storage' | 'disk_path'>;

/**
 * Deletes the row and returns its project and the location of the repository. The caller updates the size of the project's
 * snippets. index: snippets primary key
 */
export async function deleteSnippetRow(
  tx: Transaction,
  id: number,
): Promise<Pick<Snippet, 'project_id' | keyof SnippetRepositoryLocation> | undefined> {
  return tx
    .deleteFrom('snippets')
    .where('id', '=', id)
    .returning(['project_id', 'storage', 'disk_path'])
    .executeTakeFirst();
}
