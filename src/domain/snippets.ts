import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import type { Schema } from '#database/schema.ts';

/** The only branch of snippet repositories. */
export const SNIPPET_BRANCH = 'main';

/** Maximum number of files of a snippet. */
export const MAX_SNIPPET_FILES = 10;

/** A snippet of a user or of a project. */
export type Snippet = Selectable<Schema['snippets']>;

/** The columns of a snippet that change together with its files. */
export type SnippetPatch = Partial<Pick<Snippet, 'title' | 'description' | 'visibility'>>;

/** Returns the snippet if its repository was created, else null. Does not check visibility. index: snippets primary key */
export async function findSnippet(db: Reader, id: number): Promise<Snippet | null> {
  const row = await db
    .selectFrom('snippets')
    .selectAll()
    .where('id', '=', id)
    .where('repository_created', '=', true)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns whether the snippet's repository is being moved to another storage. */
export function isReadOnlySnippet({ move_id }: Pick<Snippet, 'move_id'>): boolean {
  return move_id !== null;
}

/** Returns the paths of the snippet's files. */
export function parseFilePaths({ files }: Pick<Snippet, 'files'>): readonly string[] {
  return JSON.parse(files) as string[];
}

/** Updates the total size of a project's snippets, for sorting lists; null: a personal snippet, nothing to do. index: repositories primary key, snippets_by_project */
export async function updateProjectSnippetsSize(tx: Transaction, projectId: number | null): Promise<void> {
  if (projectId === null) return;
  const size = (await loadSnippetSizesByProject(tx, [projectId])).get(projectId) ?? 0;
  await tx.updateTable('repositories').set({ snippets_size: size }).where('project_id', '=', projectId).execute();
}

/** Returns the total size of the snippets of these projects in bytes, by project id. index: snippets_by_project */
export async function loadSnippetSizesByProject(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (projectIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('snippets')
    .select(['project_id', sumOfSizes])
    .where('project_id', 'in', projectIds)
    .groupBy('project_id')
    .execute();
  return new Map(rows.map(({ project_id, size }) => [project_id!, size]));
}

/**
 * Returns the total size in bytes of the snippets of the projects directly in these groups, by group id.
 * index: projects_by_namespace, snippets_by_project
 */
export async function loadSnippetSizesByGroup(
  db: Reader,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('snippets', 'snippets.project_id', 'projects.id')
    .select(['projects.namespace_id', sumOfSizes])
    .where('projects.namespace_id', 'in', groupIds)
    .groupBy('projects.namespace_id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map(({ namespace_id, size }) => [namespace_id, size]));
}

/** Sum of the sizes; the cast makes it an integer on PostgreSQL. */
const sumOfSizes = sql<number>`cast(sum(snippets.size) as bigint)`.as('size');
