import { snippetById } from '#api/code/snippets/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import { type Access, administrator } from '#http/access/access.ts';
import { loadVisibleGroup, loadVisibleProject } from '#http/access/project-access.ts';
import type { Parameters } from '#http/parameters/declarations.ts';
import { hasIntent, hasPendingRefUpdate } from '#repositories/ref-updates/intents.ts';

// Containers of repositories that can be moved: projects, snippets, groups. A container is read-only from the scheduling
// of its move until the move ends (contract/operations.md §2).

export type ContainerKindName = Schema['storage_moves']['kind'];

/** The state of a container before a move. */
interface Container {
  readonly storage: string;
  readonly isReadOnly: boolean;
  /** Repositories of the container: its own repository first, then the repository of its wiki. */
  readonly repositories: readonly ContainedRepository[];
}

interface ContainedRepository {
  readonly diskPath: string;
  /** Whether the repository has content. If so, a missing directory means that the storage is unavailable. */
  readonly hasContent: boolean;
}

/** Disk paths of a repository before and after a move. */
export interface DiskPathMove {
  readonly from: string;
  readonly to: string;
}

/** Returns the disk paths with new destination paths, so that no leftover directory is mistaken for a copy. */
export function assignDiskPaths(moveId: number, { repositories }: Container): DiskPathMove[] {
  return repositories.map(({ diskPath }, index) => ({ from: diskPath, to: toDiskPath(`move ${moveId} ${index}`) }));
}

export interface ContainerKind {
  readonly name: ContainerKindName;
  /** Noun with article, for summaries. */
  readonly nounWithArticle: 'a project' | 'a snippet' | 'a group';
  readonly title: 'Project' | 'Snippet' | 'Group';
  readonly path: '/projects/:id' | '/snippets/:id' | '/groups/:id';
  readonly column: 'project_id' | 'snippet_id' | 'group_id';
  /** Returns access for administrators, with the container of the path. */
  adminAccess(): Access<{ readonly containerId: number; readonly caller: SignedInCaller }, Parameters>;
  /** Returns the container, or null if it does not exist. */
  findContainer(db: Reader, id: number): Promise<Container | null>;
  /** Returns the ids after `afterId` of containers with repositories in the storage, in ascending order. */
  listIdsInStorage(db: Reader, storage: string, afterId: number, limit: number): Promise<number[]>;
  /** Makes the container read-only for this move. */
  makeReadOnly(tx: Transaction, id: number, moveId: number): Promise<void>;
  /** Makes the container writable again, unless another move has locked it. */
  makeWritable(tx: Transaction, id: number, moveId: number): Promise<void>;
  /** Returns whether writes to the container that started before it became read-only are pending. */
  hasPendingWrites(tx: Transaction, id: number): Promise<boolean>;
  /**
   * Sets the new location and makes the container writable. Returns false if the container was deleted or is locked by
   * another move.
   */
  completeMove(
    tx: Transaction,
    id: number,
    moveId: number,
    location: { storage: string; diskPaths: readonly string[] },
  ): Promise<boolean>;
}

type WikiColumn = 'project_id' | 'group_id';

/** Returns the repository of a container's wiki, if any. index: wikis_by_project, wikis_by_group */
async function loadWikiRepository(db: Reader, column: WikiColumn, id: number): Promise<ContainedRepository[]> {
  const wikis = db.selectFrom('wikis').select(['disk_path', 'empty']).where(column, '=', id);
  return (await wikis.execute()).map(({ disk_path, empty }) => ({ diskPath: disk_path, hasContent: !empty }));
}

/** Returns whether ref updates of the container's wiki are unfinished. index: wikis_by_project, wikis_by_group, ref_intents_by_wiki */
function hasPendingWikiWrites(tx: Transaction, column: WikiColumn, id: number): Promise<boolean> {
  const wikis = tx.selectFrom('wikis').select('wiki_id').where(column, '=', id);
  return hasRow(tx.selectFrom('ref_intents').select('id').where('wiki_id', 'in', wikis));
}

/** Sets the location of the wiki, if any. A wiki cannot have been created since the scheduling: the container is read-only. */
async function setWikiLocation(
  tx: Transaction,
  column: WikiColumn,
  id: number,
  { storage, disk_path }: { readonly storage: string; readonly disk_path: string | undefined },
): Promise<void> {
  if (disk_path === undefined) return;
  await tx.updateTable('wikis').set({ storage, disk_path, updated_at: tx.now }).where(column, '=', id).execute();
}

const PROJECT: ContainerKind = {
  name: 'project',
  nounWithArticle: 'a project',
  title: 'Project',
  path: '/projects/:id',
  column: 'project_id',
  adminAccess: () =>
    administrator()
      .resource({ name: 'project', load: (call) => loadVisibleProject(call), notFound: () => null })
      .map(({ project, caller }) => ({ containerId: project.id, caller })),
  async findContainer(db, id) {
    // index: repositories primary key
    const row = await db
      .selectFrom('repositories')
      .select(['storage', 'disk_path', 'read_only', 'empty'])
      .where('project_id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const projectRepository = { diskPath: row.disk_path, hasContent: !row.empty };
    const repositories = [projectRepository, ...(await loadWikiRepository(db, 'project_id', id))];
    return { storage: row.storage, isReadOnly: row.read_only, repositories };
  },
  async listIdsInStorage(db, storage, afterId, limit) {
    // index: repositories_by_storage
    const rows = await db
      .selectFrom('repositories')
      .select('project_id')
      .where('storage', '=', storage)
      .where('project_id', '>', afterId)
      .orderBy('project_id')
      .limit(limit)
      .execute();
    return rows.map(({ project_id }) => project_id);
  },
  async makeReadOnly(tx, id, move_id) {
    await tx.updateTable('repositories').set({ read_only: true, move_id }).where('project_id', '=', id).execute();
  },
  async makeWritable(tx, id, moveId) {
    await tx
      .updateTable('repositories')
      .set({ read_only: false, move_id: null })
      .where('project_id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  hasPendingWrites: async (tx, id) => (await hasPendingRefUpdate(tx, id)) || hasPendingWikiWrites(tx, 'project_id', id),
  async completeMove(tx, id, moveId, { storage, diskPaths: [disk_path, wikiDiskPath] }) {
    const movedRow = await tx
      .updateTable('repositories')
      .set({ storage, disk_path: disk_path as string, read_only: false, move_id: null })
      .where('project_id', '=', id)
      .where('move_id', '=', moveId)
      .returning('project_id')
      .executeTakeFirst();
    if (movedRow === undefined) return false;
    await setWikiLocation(tx, 'project_id', id, { storage, disk_path: wikiDiskPath });
    await tx.updateTable('projects').set({ updated_at: tx.now }).where('id', '=', id).execute();
    return true;
  },
};

const SNIPPET: ContainerKind = {
  name: 'snippet',
  nounWithArticle: 'a snippet',
  title: 'Snippet',
  path: '/snippets/:id',
  column: 'snippet_id',
  adminAccess: () =>
    administrator()
      .resource(snippetById)
      .map(({ readable, caller }) => ({ containerId: readable.snippet.id, caller })),
  async findContainer(db, id) {
    // index: snippets primary key
    const row = await db
      .selectFrom('snippets')
      .select(['storage', 'disk_path', 'move_id'])
      .where('id', '=', id)
      // `made`: the repository was created.
      .where('repository_created', '=', true)
      .executeTakeFirst();
    if (row === undefined) return null;
    const repositories = [{ diskPath: row.disk_path, hasContent: true }];
    return { storage: row.storage, isReadOnly: row.move_id !== null, repositories };
  },
  async listIdsInStorage(db, storage, afterId, limit) {
    // index: snippets_by_storage
    const rows = await db
      .selectFrom('snippets')
      .select('id')
      .where('storage', '=', storage)
      .where('id', '>', afterId)
      .where('repository_created', '=', true)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },
  async makeReadOnly(tx, id, move_id) {
    await tx.updateTable('snippets').set({ move_id }).where('id', '=', id).execute();
  },
  async makeWritable(tx, id, moveId) {
    await tx
      .updateTable('snippets')
      .set({ move_id: null })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  hasPendingWrites: (tx, id) => hasIntent(tx, { snippetId: id }),
  async completeMove(tx, id, moveId, { storage, diskPaths: [disk_path] }) {
    const movedRow = await tx
      .updateTable('snippets')
      .set({ storage, disk_path: disk_path as string, move_id: null, updated_at: tx.now })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .returning('id')
      .executeTakeFirst();
    return movedRow !== undefined;
  },
};

/** A group has only the repository of its wiki. Without a wiki, its row names the storage for a future wiki. */
const GROUP: ContainerKind = {
  name: 'group',
  nounWithArticle: 'a group',
  title: 'Group',
  path: '/groups/:id',
  column: 'group_id',
  adminAccess: () =>
    administrator()
      .resource({ name: 'group', load: (call) => loadVisibleGroup(call), notFound: () => null })
      .map(({ group, caller }) => ({ containerId: group.id, caller })),
  async findContainer(db, id) {
    // index: namespaces primary key
    const row = await db
      .selectFrom('namespaces')
      .select(['storage', 'move_id'])
      .where('id', '=', id)
      .where('kind', '=', 'group')
      .executeTakeFirst();
    if (row === undefined) return null;
    const repositories = await loadWikiRepository(db, 'group_id', id);
    return { storage: row.storage, isReadOnly: row.move_id !== null, repositories };
  },
  async listIdsInStorage(db, storage, afterId, limit) {
    // index: wikis_by_storage
    const rows = await db
      .selectFrom('wikis')
      .select('group_id')
      .where('storage', '=', storage)
      .where('group_id', '>', afterId)
      .orderBy('group_id')
      .limit(limit)
      .execute();
    return rows.map(({ group_id }) => group_id as number);
  },
  async makeReadOnly(tx, id, move_id) {
    await tx.updateTable('namespaces').set({ move_id }).where('id', '=', id).execute();
  },
  async makeWritable(tx, id, moveId) {
    await tx
      .updateTable('namespaces')
      .set({ move_id: null })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .execute();
  },
  hasPendingWrites: (tx, id) => hasPendingWikiWrites(tx, 'group_id', id),
  async completeMove(tx, id, moveId, { storage, diskPaths: [wikiDiskPath] }) {
    const movedRow = await tx
      .updateTable('namespaces')
      .set({ storage, move_id: null, updated_at: tx.now })
      .where('id', '=', id)
      .where('move_id', '=', moveId)
      .returning('id')
      .executeTakeFirst();
    if (movedRow !== undefined) await setWikiLocation(tx, 'group_id', id, { storage, disk_path: wikiDiskPath });
    return movedRow !== undefined;
  },
};

const KINDS = [PROJECT, SNIPPET, GROUP] as const;

/** Defines the same endpoint for each kind: `export const [listProjectMoves, listSnippetMoves, listGroupMoves] = forKinds((kind) => endpoint({ ... }))` */
export function forKinds<Endpoint>(
  defineEndpoint: (kind: ContainerKind) => Endpoint,
): readonly [Endpoint, Endpoint, Endpoint] {
  return [defineEndpoint(PROJECT), defineEndpoint(SNIPPET), defineEndpoint(GROUP)];
}

export function getContainerKind(name: ContainerKindName): ContainerKind {
  return KINDS.find((kind) => kind.name === name) as ContainerKind;
}
