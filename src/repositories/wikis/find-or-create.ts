import { randomUUID } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import { requireGroupAccess, requireProjectAccess } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { getInitialBranch } from '#domain/namespaces/group-attributes.ts';
import { type GroupOrProject, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { findWiki, type Wiki } from '#domain/wikis.ts';
import { ensureRepository, toDiskPath } from '#git/storage/storage.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

/**
 * Returns the wiki of a project or group, and creates it with its repository at the first write. Reloads the caller's access
 * if it creates the wiki. Fails if the wiki is read-only, before objects are written.
 */
export async function findOrCreateWiki(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  caller: SignedInCaller,
  parent: GroupOrProject,
): Promise<Wiki | Failure<'readOnly'>> {
  const existingWiki = await findWiki(database.reader, parent);
  if (existingWiki?.read_only) return fail('readOnly');
  const wiki = existingWiki ?? (await database.transaction((tx) => authorizeAndInsertWiki(tx, caller, parent)));
  if (isFailure(wiki)) return wiki;
  await ensureRepository(getRepository(git, wiki), { defaultBranch: wiki.default_branch });
  return wiki;
}

/** Creates the row. Fails while the project or group is read-only: a storage move would not copy the new wiki. */
async function authorizeAndInsertWiki(
  tx: Transaction,
  caller: SignedInCaller,
  parent: GroupOrProject,
): Promise<Wiki | Failure<'readOnly'>> {
  if (parent.project) await requireProjectAccess(tx, caller, parent.project.id, 'create_wiki');
  else await requireGroupAccess(tx, caller, parent.group.id, 'create_wiki');
  return findOrInsertWiki(tx, parent);
}

/** Returns the wiki's row, creating it if needed, without a permission check. Fails if a storage move is in progress. */
export async function findOrInsertWiki(tx: Transaction, parent: GroupOrProject): Promise<Wiki | Failure<'readOnly'>> {
  const existingWiki = await findWiki(tx, parent);
  if (existingWiki !== null) return existingWiki;
  const wikiStorage = await chooseWikiStorage(tx, parent);
  if (wikiStorage === undefined || wikiStorage.isReadOnly) return fail('readOnly');
  const namespaceId = parent.project?.namespace_id ?? parent.group!.id;
  await tx
    .insertInto('wikis')
    .values({
      ...toNamespaceOwnerColumns(parent),
      storage: wikiStorage.storage,
      disk_path: toDiskPath(randomUUID()),
      default_branch: await getInitialBranch(tx, namespaceId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findWiki(tx, parent))!;
}

/** Returns the storage of a new wiki (the project's or group's) and whether it is read-only; undefined if no row exists. */
async function chooseWikiStorage(tx: Transaction, { project, group }: GroupOrProject) {
  if (project) {
    // index: repositories primary key
    const row = await tx
      .selectFrom('repositories')
      .select(['storage', 'read_only'])
      .where('project_id', '=', project.id)
      .executeTakeFirst();
    return row && { storage: row.storage, isReadOnly: row.read_only };
  }
  // index: namespaces primary key
  const row = await tx
    .selectFrom('namespaces')
    .select(['storage', 'move_id'])
    .where('id', '=', group.id)
    .executeTakeFirst();
  return row && { storage: row.storage, isReadOnly: row.move_id !== null };
}
