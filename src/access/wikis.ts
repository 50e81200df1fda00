import type { Selectable } from 'kysely';
import type { Reader } from '../database/database.ts';
import { prepareForIds } from '../database/prepare.ts';
import type { WikisTable } from '../database/tables/wikis.ts';
import { ownerOf, type Place } from './reach.ts';

/** The repository of the wiki of a project or group. Without a row nobody has ever begun to write into it. */
export type Wiki = Selectable<WikisTable>;

/** index: wikis_by_project, wikis_by_group */
export async function findWiki(db: Reader, place: Place): Promise<Wiki | null> {
  const { project_id, group_id } = ownerOf(place);
  const wikis = db.selectFrom('wikis').selectAll();
  const row = await (project_id === null
    ? wikis.where('group_id', '=', group_id)
    : wikis.where('project_id', '=', project_id)
  ).executeTakeFirst();
  return row ?? null;
}

/** A wiki with whether it may be written into: that is what its project or group says of all its repositories. */
export interface WikiState extends Wiki {
  readonly read_only: boolean;
}

/** index: wikis primary key, repositories primary key, namespaces primary key */
export async function readWiki(db: Reader, wikiId: number): Promise<WikiState | null> {
  const row = await db
    .selectFrom('wikis')
    .leftJoin('repositories', 'repositories.project_id', 'wikis.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'wikis.group_id')
    .selectAll('wikis')
    .select(['repositories.read_only as project_read_only', 'namespaces.move_id as group_move_id'])
    .where('wikis.wiki_id', '=', wikiId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { project_read_only, group_move_id, ...wiki } = row;
  return { ...wiki, read_only: project_read_only === true || group_move_id !== null };
}

/** What is shown of a page where it is only mentioned. */
export interface WikiPageRow {
  readonly id: number;
  readonly path: string | null;
  readonly title: string;
}

/** index: wiki_pages primary key */
export const wikiPagesByIds = prepareForIds<WikiPageRow>((db, ids) =>
  db.selectFrom('wiki_pages').select(['id', 'path', 'title']).where('id', 'in', ids),
);
