import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { WikisTable } from '#database/tables/wikis.ts';
import { ownerOf, type Place } from './namespaces/scope.ts';

/** The repository of the wiki of a project or group. Without a row nobody has ever begun to write into it. */
export type Wiki = Selectable<WikisTable>;

/** A wiki with whether it may be written into: that is what its project or group says of all its repositories. */
export interface WikiState extends Wiki {
  readonly read_only: boolean;
}

/** index: wikis_by_project, wikis_by_group */
export async function findWiki(db: Reader, place: Place): Promise<WikiState | null> {
  const { project_id, group_id } = ownerOf(place);
  const wikis = wikiStates(db);
  const row = await (project_id === null
    ? wikis.where('wikis.group_id', '=', group_id)
    : wikis.where('wikis.project_id', '=', project_id)
  ).executeTakeFirst();
  return row === undefined ? null : stateOf(row);
}

/** index: wikis primary key */
export async function readWiki(db: Reader, wikiId: number): Promise<WikiState | null> {
  const row = await wikiStates(db).where('wikis.wiki_id', '=', wikiId).executeTakeFirst();
  return row === undefined ? null : stateOf(row);
}

/** index: repositories primary key, namespaces primary key */
function wikiStates(db: Reader) {
  return db
    .selectFrom('wikis')
    .leftJoin('repositories', 'repositories.project_id', 'wikis.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'wikis.group_id')
    .selectAll('wikis')
    .select(['repositories.read_only as project_read_only', 'namespaces.move_id as group_move_id']);
}

interface StoredState extends Wiki {
  readonly project_read_only: boolean | null;
  readonly group_move_id: number | null;
}

function stateOf({ project_read_only, group_move_id, ...wiki }: StoredState): WikiState {
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
