import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import type { StorageMovesTable } from '#database/tables/storage-moves.ts';
import { diskPathFor } from '#git/storage/storage.ts';
import { type Access, administrator } from '#http/access/access.ts';
import { loadVisibleGroup, loadVisibleProject } from '#http/access/project-access.ts';
import type { Parameters } from '#http/parameters/declarations.ts';
import { hasProjectIntent } from '#repositories/ref-updates/intents.ts';
import { type Snippet, snippetNamed } from '../snippets/index.ts';

/**
 * What has repositories that move: projects, snippets, groups. A container is one of them; it is locked by the move that
 * takes its repositories, from its schedule until they are there (contract/operations.md §2).
 */

export type KindName = StorageMovesTable['kind'];

/** A container as it stands before a move. */
export interface Container {
  readonly storage: string;
  readonly isReadOnly: boolean;
  /** Its repositories in the storage: its own first, then that of its wiki. */
  readonly repositories: readonly ContainedRepository[];
}

interface ContainedRepository {
  readonly diskPath: string;
  /** Something was written into it: where none is found, the storage is not there. */
  readonly isWrittenTo: boolean;
}

/** A repository's place before and after a move. */
export interface Repositories {
  readonly from: string;
  readonly to: string;
}

/** Where the repositories go: no path was ever used before, so that nothing that was left behind is taken for one. */
export function placesIn(moveId: number, { repositories }: Container): Repositories[] {
  return repositories.map(({ diskPath }, at) => ({ from: diskPath, to: diskPathFor(`move ${moveId} ${at}`) }));
}

export interface Kind {
  readonly name: KindName;
  /** With its article, for summaries. */
  readonly called: 'a project' | 'a snippet' | 'a group';
  readonly title: 'Project' | 'Snippet' | 'Group';
  readonly path: '/projects/:id' | '/snippets/:id' | '/groups/:id';
  readonly column: 'project_id' | 'snippet_id' | 'group_id';
  /** Administrators, with the container that the path names. */
  administering(): Access<{ readonly containerId: number; readonly caller: SignedInCaller }, Parameters>;
  /** Null: it is gone. */
  find(db: Reader, id: number): Promise<Container | null>;
  /** The ids of those with repositories in the storage, by id, behind `after`. */
  among(db: Reader, storage: string, after: number, limit: number): Promise<number[]>;
  /** Makes it read-only for this move. */
  lock(tx: Transaction, id: number, moveId: number): Promise<void>;
  /** Makes it writable again, unless it is not this move's. */
  unlock(tx: Transaction, id: number, moveId: number): Promise<void>;
  /** Is something being written into its repositories that was let in before it was locked? */
  isWritten(tx: Transaction, id: number): Promise<boolean>;
  /** From now on its repositories are there, and writable. False: it is not this move's, or gone. */
  settle(
    tx: Transaction,
    id: number,
    moveId: number,
    there: { storage: string; diskPaths: readonly string[] },
  ): Promise<boolean>;
}

const nothingIs = async () => false;

type WikiColumn = 'project_id' | 'group_id';

/** The repository of a container's wiki. index: wikis_by_project, wikis_by_group */
async function wikiOf(db: Reader, column: WikiColumn, id: number): Promise<ContainedRepository[]> {
  const wikis = db.selectFrom('wikis').select(['disk_path', 'empty']).where(column, '=', id);
  return (await wikis.execute()).map(({ disk_path, empty }) => ({ diskPath: disk_path, isWrittenTo: !empty }));
}

/** index: wikis_by_project, wikis_by_group, ref_intents_by_wiki */
function isWikiWritten(tx: Transaction, column: WikiColumn, id: number): Promise<boolean> {
  const wikis = tx.selectFrom('wikis').select('wiki_id').where(column, '=', id);
  return hasRow(tx.selectFrom('ref_intents').select('id').where('wiki_id', 'in', wikis));
}

/** A wiki that was not there when the move was scheduled has not come since: it would have been read-only. */
async function settleWiki(
  tx: Transaction,
  column: WikiColumn,
  id: number,
  { storage, disk_path }: { readonly storage: string; readonly disk_path: string | undefined },
): Promise<void> {
  if (disk_path === undefined) return;
  await tx.updateTable('wikis').set({ storage, disk_path, updated_at: tx.now }).where(column, '=', id).execute();
}

const PROJECT: Kind = {
  name: 'project',
  called: 'a project',
  title: 'Project',
  path: '/projects/:id',
  column: 'project_id',
  administering: () =>
    administrator()
      .resource({ name: 'project', load: (call) => loadVisibleProject(call), notFound: () => null })
      .map(({ project, caller }) => ({ containerId: project.id, caller })),
  async find(db, id) {
    // index: repositories primary key
    const row = await db
      .selectFrom('repositories')
      .select(['storage', 'disk_path', 'read_only', 'empty'])
      .where('project_id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const own = { diskPath: row.disk_path, isWrittenTo: !row.empty };
    const repositories = [own, ...(await wikiOf(db, 'project_id', id))];
    return { storage: row.storage, isReadOnly: row.read_only, repositories };
  },
  async among(db, storage, after, limit) {
    // index: repositories_by_storage
    const rows = await db
      .selectFrom('repositories')
      .select('project_id')
      .where('storage', '=', storage)
      .where('project_id', '>', after)
      .orderBy('project_id')
      .limit(limit)
      .execute();
    return rows.map(({ project_id }) => project_id);
  },
  async lock(tx, id, move_id) {
    await tx.updateTable('repositories').set({ read_only: true, move_id }).where('project_id', '=', id).execute();
  },
  async unlock(tx, id, moveId) {
    await tx
      .updateTable('repositories')
      .set({ read_only: false, move_id: null })
      .where('project_id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  isWritten: async (tx, id) => (await hasProjectIntent(tx, id)) || isWikiWritten(tx, 'project_id', id),
  async settle(tx, id, moveId, { storage, diskPaths: [disk_path, wiki] }) {
    const moved = await tx
      .updateTable('repositories')
      .set({ storage, disk_path: disk_path as string, read_only: false, move_id: null })
      .where('project_id', '=', id)
      .where('move_id', '=', moveId)
      .returning('project_id')
      .executeTakeFirst();
    if (moved === undefined) return false;
    await settleWiki(tx, 'project_id', id, { storage, disk_path: wiki });
    await tx.updateTable('projects').set({ updated_at: tx.now }).where('id', '=', id).execute();
    return true;
  },
};

const SNIPPET: Kind = {
  name: 'snippet',
  called: 'a snippet',
  title: 'Snippet',
  path: '/snippets/:id',
  column: 'snippet_id',
  administering: () =>
    administrator()
      .resource(snippetNamed)
      .map(({ snippet, caller }: { snippet: Snippet; caller: SignedInCaller }) => ({
        containerId: snippet.id,
        caller,
      })),
  async find(db, id) {
    // index: snippets primary key
    const row = await db
      .selectFrom('snippets')
      .select(['storage', 'disk_path', 'move_id'])
      .where('id', '=', id)
      .where('made', '=', true)
      .executeTakeFirst();
    if (row === undefined) return null;
    const repositories = [{ diskPath: row.disk_path, isWrittenTo: true }];
    return { storage: row.storage, isReadOnly: row.move_id !== null, repositories };
  },
  async among(db, storage, after, limit) {
    // index: snippets_by_storage
    const rows = await db
      .selectFrom('snippets')
      .select('id')
      .where('storage', '=', storage)
      .where('id', '>', after)
      .where('made', '=', true)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },
  async lock(tx, id, move_id) {
    await tx.updateTable('snippets').set({ move_id }).where('id', '=', id).execute();
  },
  async unlock(tx, id, moveId) {
    await tx
      .updateTable('snippets')
      .set({ move_id: null })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  // Nothing is written into one that is made.
  isWritten: nothingIs,
  async settle(tx, id, moveId, { storage, diskPaths: [disk_path] }) {
    const moved = await tx
      .updateTable('snippets')
      .set({ storage, disk_path: disk_path as string, move_id: null, updated_at: tx.now })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .returning('id')
      .executeTakeFirst();
    return moved !== undefined;
  },
};

/** A group's only repository is that of its wiki; as long as it has none it is only said where that would be. */
const GROUP: Kind = {
  name: 'group',
  called: 'a group',
  title: 'Group',
  path: '/groups/:id',
  column: 'group_id',
  administering: () =>
    administrator()
      .resource({ name: 'group', load: (call) => loadVisibleGroup(call), notFound: () => null })
      .map(({ group, caller }) => ({ containerId: group.id, caller })),
  async find(db, id) {
    // index: namespaces primary key
    const row = await db
      .selectFrom('namespaces')
      .select(['storage', 'move_id'])
      .where('id', '=', id)
      .where('kind', '=', 'group')
      .executeTakeFirst();
    if (row === undefined) return null;
    const repositories = await wikiOf(db, 'group_id', id);
    return { storage: row.storage, isReadOnly: row.move_id !== null, repositories };
  },
  async among(db, storage, after, limit) {
    // index: wikis_by_storage
    const rows = await db
      .selectFrom('wikis')
      .select('group_id')
      .where('storage', '=', storage)
      .where('group_id', '>', after)
      .orderBy('group_id')
      .limit(limit)
      .execute();
    return rows.map(({ group_id }) => group_id as number);
  },
  async lock(tx, id, move_id) {
    await tx.updateTable('namespaces').set({ move_id }).where('id', '=', id).execute();
  },
  async unlock(tx, id, moveId) {
    await tx
      .updateTable('namespaces')
      .set({ move_id: null })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  isWritten: (tx, id) => isWikiWritten(tx, 'group_id', id),
  async settle(tx, id, moveId, { storage, diskPaths: [wiki] }) {
    const moved = await tx
      .updateTable('namespaces')
      .set({ storage, move_id: null, updated_at: tx.now })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .returning('id')
      .executeTakeFirst();
    if (moved !== undefined) await settleWiki(tx, 'group_id', id, { storage, disk_path: wiki });
    return moved !== undefined;
  },
};

const KINDS = [PROJECT, SNIPPET, GROUP] as const;

/** `export const [listProjectMoves, listSnippetMoves, listGroupMoves] = forKinds((kind) => endpoint({ ... }))` */
export function forKinds<Made>(declare: (kind: Kind) => Made): readonly [Made, Made, Made] {
  return [declare(PROJECT), declare(SNIPPET), declare(GROUP)];
}

export function kindOf(name: KindName): Kind {
  return KINDS.find((kind) => kind.name === name) as Kind;
}
