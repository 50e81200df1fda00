import type { Reader, Transaction } from '#database/database.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { readWiki, type Wiki } from '#domain/wikis.ts';
import { subscription } from '#events/event-bus.ts';
import type { Git } from '#git/git.ts';
import { objectsSize } from '#git/storage/objects-size.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { momentAfter } from '#runtime/clock.ts';
import { keepInOrder, REST_MS } from '../maintenance/maintenance.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';

/** Wikis are kept quick to read as repositories of projects are, and their sizes stand in their rows. */

export const wikiUpkeep = defineJob({
  kind: 'wiki_upkeep',
  async handle({ database, git }: RefServices, { wikiId }: { readonly wikiId: number }) {
    const wiki = await readWiki(database.reader, wikiId);
    // What is on its way to another storage is kept in order when it changes there.
    if (wiki === null || wiki.read_only) return;
    const repository = repositoryOf(git, wiki);
    await keepInOrder(git, repository);
    const measured = { size: await objectsSize(repository), size_version: wiki.ref_state_version };
    await database.transaction((tx) =>
      tx
        .updateTable('wikis')
        .set(measured)
        .where('wiki_id', '=', wikiId)
        // What it has left tells nothing of it.
        .where('disk_path', '=', wiki.disk_path)
        .execute(),
    );
  },
});

/** Every change of refs asks for it; while one waits, no more is added. */
export const wikiUpkeepAfterChanges = subscription({
  event: 'wiki-refs-changed',
  inTransaction: (uow, { wikiId }) => askForUpkeep(uow, wikiId),
});

export function askForUpkeep(tx: Transaction, wikiId: number): Promise<void> {
  return enqueue(tx, wikiUpkeep, { wikiId }, { key: String(wikiId), runAt: momentAfter(tx.now, REST_MS) });
}

type Measured = Pick<Wiki, 'storage' | 'disk_path' | 'default_branch' | 'ref_state_version' | 'size' | 'size_version'>;

const columns = [
  'wikis.storage',
  'wikis.disk_path',
  'wikis.default_branch',
  'wikis.ref_state_version',
  'wikis.size',
  'wikis.size_version',
] as const;

async function sizeOf(git: Git, wiki: Measured): Promise<number> {
  const isKept = wiki.size !== null && wiki.size_version === wiki.ref_state_version;
  return isKept ? (wiki.size as number) : objectsSize(repositoryOf(git, wiki));
}

/** Bytes of the wikis of these projects. */
export async function wikiSizesOf(
  db: Reader,
  git: Git,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (projectIds.length === 0) return new Map();
  // index: wikis_by_project
  const wikis = await db
    .selectFrom('wikis')
    .select(['wikis.project_id', ...columns])
    .where('wikis.project_id', 'in', projectIds)
    .where('wikis.empty', '=', false)
    .execute();
  const sizes = wikis.map(async (wiki) => [wiki.project_id as number, await sizeOf(git, wiki)] as const);
  return new Map(await Promise.all(sizes));
}

/** So many wikis are measured for one answer; of more that have just changed the last known sizes count. */
const MOST_MEASURED = 100;

/** Bytes of the wikis of these groups, and of those of the projects directly in each. */
export async function wikiSizesIn(
  db: Reader,
  git: Git,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // index: wikis_by_group, projects_by_namespace, wikis_by_project
  const ofGroups = db
    .selectFrom('wikis')
    .select(['wikis.group_id as owner', ...columns])
    .where('wikis.group_id', 'in', groupIds)
    .where('wikis.empty', '=', false);
  const ofProjects = db
    .selectFrom('projects')
    .innerJoin('wikis', 'wikis.project_id', 'projects.id')
    .select(['projects.namespace_id as owner', ...columns])
    .where('projects.namespace_id', 'in', groupIds)
    .where('wikis.empty', '=', false);
  const wikis = [...(await ofGroups.execute()), ...(await ofProjects.modifyEnd(mayBeLong).execute())];
  const sizes = new Map<number, number>();
  let measured = 0;
  for (const wiki of wikis) {
    const isKept = wiki.size_version === wiki.ref_state_version;
    const size = isKept || ++measured <= MOST_MEASURED ? await sizeOf(git, wiki) : (wiki.size ?? 0);
    sizes.set(wiki.owner as number, (sizes.get(wiki.owner as number) ?? 0) + size);
  }
  return sizes;
}
