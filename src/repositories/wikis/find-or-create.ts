import { randomUUID } from 'node:crypto';
import type { SignedInCaller } from '#authentication/caller.ts';
import { stillInGroup, stillInProject } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { initialBranch } from '#domain/namespaces/initial-default-branch.ts';
import { ownerOf, type Place } from '#domain/namespaces/scope.ts';
import { findWiki, type Wiki } from '#domain/wikis.ts';
import { diskPathFor, ensureRepository } from '#git/storage/storage.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';

/**
 * The wiki of a place with its repository, made at the first write, for somebody who may write there still. One that is read-only
 * is refused before anything is written: a move waits until no more objects come.
 */
export async function ensureWiki(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  caller: SignedInCaller,
  place: Place,
): Promise<Wiki | Failure<'readOnly'>> {
  const known = await findWiki(database.reader, place);
  if (known?.read_only) return fail('readOnly');
  const wiki = known ?? (await database.transaction((tx) => beginWiki(tx, caller, place)));
  if (isFailure(wiki)) return wiki;
  await ensureRepository(repositoryOf(git, wiki), { defaultBranch: wiki.default_branch });
  return wiki;
}

/** Its row. While its place is read-only there is none: what moves a place to another storage takes along what it knows. */
async function beginWiki(tx: Transaction, caller: SignedInCaller, place: Place): Promise<Wiki | Failure<'readOnly'>> {
  if (place.project) await stillInProject(tx, caller, place.project.id, 'create_wiki');
  else await stillInGroup(tx, caller, place.group.id, 'create_wiki');
  return insertWiki(tx, place);
}

/** The same by nobody's right. */
export async function insertWiki(tx: Transaction, place: Place): Promise<Wiki | Failure<'readOnly'>> {
  const known = await findWiki(tx, place);
  if (known !== null) return known;
  const at = await storageOf(tx, place);
  if (at === undefined || at.isReadOnly) return fail('readOnly');
  const namespaceId = place.project?.namespace_id ?? place.group!.id;
  await tx
    .insertInto('wikis')
    .values({
      ...ownerOf(place),
      storage: at.storage,
      disk_path: diskPathFor(randomUUID()),
      default_branch: await initialBranch(tx, namespaceId),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findWiki(tx, place)) as Wiki;
}

/** A project's wiki is beside its repository; where a group's would be has been chosen with the group. */
async function storageOf(tx: Transaction, { project, group }: Place) {
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
