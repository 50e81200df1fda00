import type { Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { findWikiById, type Wiki } from '#domain/wikis.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { Git } from '#git/git.ts';
import { measureObjects } from '#git/storage/maintenance.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { MAINTENANCE_DELAY_MS, runMaintenance } from '../maintenance/maintenance.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

// Maintenance of wiki repositories, as for projects. Their sizes are stored in their rows.

export const maintainWiki = defineJob({
  kind: 'maintain_wiki',
  async handle({ database, git }: RefServices, { wikiId }: { readonly wikiId: number }) {
    const wiki = await findWikiById(database.reader, wikiId);
    // A wiki that is being moved to another storage is maintained after its next change.
    if (wiki === null || wiki.read_only) return;
    const repository = getRepository(git, wiki);
    await runMaintenance(git, repository);
    const size = await measureObjects(repository);
    await database.transaction((tx) => storeWikiSize(tx, wiki, size));
  },
});

/** Stores the size of a wiki, unless it has been moved meanwhile. index: wikis primary key, repositories primary key */
async function storeWikiSize(tx: Transaction, wiki: Wiki, size: number): Promise<void> {
  const updateResult = await tx
    .updateTable('wikis')
    .set({ size, size_version: wiki.ref_state_version })
    .where('wiki_id', '=', wiki.wiki_id)
    .where('disk_path', '=', wiki.disk_path)
    .executeTakeFirst();
  if (wiki.project_id === null || updateResult.numUpdatedRows === 0n) return;
  await tx.updateTable('repositories').set({ wiki_size: size }).where('project_id', '=', wiki.project_id).execute();
}

/** Enqueues maintenance after each ref change, unless it is enqueued already. */
export const maintainWikiAfterRefChanges = defineSubscription({
  event: 'wiki-refs-changed',
  inTransaction: (uow, { wikiId }) => enqueueWikiMaintenance(uow, wikiId),
});

export function enqueueWikiMaintenance(tx: Transaction, wikiId: number): Promise<void> {
  return enqueue(
    tx,
    maintainWiki,
    { wikiId },
    { key: String(wikiId), runAt: addMilliseconds(tx.now, MAINTENANCE_DELAY_MS) },
  );
}

type MeasuredWiki = Pick<
  Wiki,
  'storage' | 'disk_path' | 'default_branch' | 'ref_state_version' | 'size' | 'size_version'
>;

const SIZE_COLUMNS = [
  'wikis.storage',
  'wikis.disk_path',
  'wikis.default_branch',
  'wikis.ref_state_version',
  'wikis.size',
  'wikis.size_version',
] as const;

/** Returns the stored size in bytes if it is current, else measures the repository. */
async function loadWikiSize(git: Git, wiki: MeasuredWiki): Promise<number> {
  const isSizeCurrent = wiki.size !== null && wiki.size_version === wiki.ref_state_version;
  return isSizeCurrent ? wiki.size! : measureObjects(getRepository(git, wiki));
}

/** Returns the bytes of the wikis of these projects, by project id. */
export async function loadWikiSizesByProject(
  db: Reader,
  git: Git,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (projectIds.length === 0) return new Map();
  // index: wikis_by_project
  const wikis = await db
    .selectFrom('wikis')
    .select(['wikis.project_id', ...SIZE_COLUMNS])
    .where('wikis.project_id', 'in', projectIds)
    .where('wikis.empty', '=', false)
    .execute();
  const sizes = wikis.map(async (wiki) => [wiki.project_id!, await loadWikiSize(git, wiki)] as const);
  return new Map(await Promise.all(sizes));
}

/** Maximum number of wikis measured per call; for further outdated ones the stored size counts. */
const MAX_MEASURED = 100;

/** Returns the bytes of the wikis of these groups and of the projects directly in them, by group id. */
export async function loadWikiSizesByGroup(
  db: Reader,
  git: Git,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // index: wikis_by_group, projects_by_namespace, wikis_by_project
  const groupWikis = db
    .selectFrom('wikis')
    .select(['wikis.group_id as owner_group_id', ...SIZE_COLUMNS])
    .where('wikis.group_id', 'in', groupIds)
    .where('wikis.empty', '=', false);
  const projectWikis = db
    .selectFrom('projects')
    .innerJoin('wikis', 'wikis.project_id', 'projects.id')
    .select(['projects.namespace_id as owner_group_id', ...SIZE_COLUMNS])
    .where('projects.namespace_id', 'in', groupIds)
    .where('wikis.empty', '=', false);
  const wikis = [...(await groupWikis.execute()), ...(await projectWikis.modifyEnd(LONG_RUNNING).execute())];
  const sizes = new Map<number, number>();
  let measuredCount = 0;
  for (const wiki of wikis) {
    const isSizeCurrent = wiki.size_version === wiki.ref_state_version;
    const size = isSizeCurrent || ++measuredCount <= MAX_MEASURED ? await loadWikiSize(git, wiki) : (wiki.size ?? 0);
    sizes.set(wiki.owner_group_id!, (sizes.get(wiki.owner_group_id!) ?? 0) + size);
  }
  return sizes;
}
