import type { Selectable } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { type GroupOrProject, toNamespaceOwnerColumns } from './namespaces/scope.ts';

/** Repository of the wiki of a project or group. There is no row before the first write. */
export type Wiki = Selectable<Schema['wikis']>;

/** A wiki with the read-only state of its project or group. */
interface WikiState extends Wiki {
  readonly read_only: boolean;
}

/** Returns the wiki of a project or group; null before its first write. index: wikis_by_project, wikis_by_group */
export async function findWiki(db: Reader, parent: GroupOrProject): Promise<WikiState | null> {
  const { project_id, group_id } = toNamespaceOwnerColumns(parent);
  const wikis = selectWikis(db);
  const row = await (project_id === null
    ? wikis.where('wikis.group_id', '=', group_id)
    : wikis.where('wikis.project_id', '=', project_id)
  ).executeTakeFirst();
  return row === undefined ? null : toWikiState(row);
}

/** Returns the wiki with this id, or null. index: wikis primary key */
export async function findWikiById(db: Reader, wikiId: number): Promise<WikiState | null> {
  const row = await selectWikis(db).where('wikis.wiki_id', '=', wikiId).executeTakeFirst();
  return row === undefined ? null : toWikiState(row);
}

/** Selects wikis with the read-only state of their owners. index: repositories primary key, namespaces primary key */
function selectWikis(db: Reader) {
  return db
    .selectFrom('wikis')
    .leftJoin('repositories', 'repositories.project_id', 'wikis.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'wikis.group_id')
    .selectAll('wikis')
    .select(['repositories.read_only as project_read_only', 'namespaces.move_id as group_move_id']);
}

interface WikiStateRow extends Wiki {
  readonly project_read_only: boolean | null;
  readonly group_move_id: number | null;
}

/** A storage move of the project or group makes the wiki read-only. */
function toWikiState({ project_read_only, group_move_id, ...wiki }: WikiStateRow): WikiState {
  return { ...wiki, read_only: project_read_only === true || group_move_id !== null };
}

/** The fields of a wiki page for lists that refer to it. */
export type WikiPageRow = Columns<'wiki_pages', 'id' | 'path' | 'title'>;

/** Loads the wiki pages with these ids. index: wiki_pages primary key */
export const loadWikiPagesByIds = prepareForIds<WikiPageRow>((db, ids) =>
  db.selectFrom('wiki_pages').select(['id', 'path', 'title']).where('id', 'in', ids),
);
