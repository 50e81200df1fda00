import type { Reader, Transaction } from '#database/database.ts';
import type { ReplicableName } from '#database/tables/replication-sites.ts';
import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import { findWikiById } from '#domain/wikis.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue, type JobRun } from '#jobs/job.ts';
import { getRefVersion, getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import type { Replicable } from './replicable.ts';

/**
 * The checksums of repositories that other sites compare theirs with. The queue finds out those that a site has asked for
 * and that are not known: a server of which nobody holds a copy looks at none, and a push does nothing for it.
 */

interface Wanted {
  readonly name: ReplicableName;
  readonly ids: readonly number[];
}

/** One that could not be read is tried again when somebody asks so much later. */
const FAILED_FOR_MS = 3_600_000;

export const findChecksums = defineJob({
  kind: 'geo_checksums',
  async handle(services: Pick<Services, 'database' | 'git' | 'clock' | 'log'>, wanted: Wanted, { signal }: JobRun) {
    for (const id of wanted.ids) {
      // What is left is asked for again.
      if (signal.aborted) return;
      await findChecksum(services, wanted.name, id);
    }
  },
});

/** Has the checksums found out that these lack; what waits for it already is not added again. */
export async function wantChecksums(
  { database }: Pick<Services, 'database'>,
  replicables: readonly Replicable[],
): Promise<void> {
  const lacking = replicables.filter(({ checksum }) => checksum === null);
  if (lacking.length === 0) return;
  const byName = Map.groupBy(lacking, ({ replicable_name }) => replicable_name);
  await database.transaction(async (tx) => {
    for (const [name, some] of byName) {
      const ids = some.map(({ replicable_id }) => replicable_id).sort((a, b) => a - b);
      await enqueue(tx, findChecksums, { name, ids }, { key: `${name} ${ids.join(' ')}`.slice(0, 1_000) });
    }
  });
}

interface Readable extends LocatedRepository {
  /** Another one whenever its refs are others. */
  readonly version: string;
}

async function findChecksum(
  { database, git, clock, log }: Pick<Services, 'database' | 'git' | 'clock' | 'log'>,
  name: ReplicableName,
  id: number,
): Promise<void> {
  const { reader } = database;
  const [place, known] = [await placeOf(reader, name, id), await knownChecksum(reader, name, id)];
  if (
    place === null ||
    (known !== null && isGood(known, place.version, addMilliseconds(timestamp(clock), -FAILED_FOR_MS)))
  )
    return;
  // Refs may move on meanwhile: what is found then is that of a version which has gone, and asked for again.
  const checksum = await computeRepositoryChecksum(git, getRepository(git, place)).catch((err: unknown) => {
    log.warn({ err, replicable: name, id }, 'The checksum of a repository could not be found out');
    return null;
  });
  await database.transaction((tx) => keepChecksum(tx, name, id, { version: place.version, checksum }));
}

interface Known {
  readonly version: string;
  readonly checksum: string | null;
  readonly checked_at: string;
}

function isGood({ version, checksum, checked_at }: Known, present: string, failedSince: string): boolean {
  return version === present && (checksum !== null || checked_at > failedSince);
}

async function knownChecksum(db: Reader, name: ReplicableName, id: number): Promise<Known | null> {
  // index: geo_checksums_pkey
  const row = await db
    .selectFrom('geo_checksums')
    .select(['version', 'checksum', 'checked_at'])
    .where('replicable_name', '=', name)
    .where('replicable_id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

async function placeOf(db: Reader, name: ReplicableName, id: number): Promise<Readable | null> {
  if (name === 'snippet_repository') return placeOfSnippet(db, id);
  if (name === 'project_wiki_repository' || name === 'group_wiki_repository') return placeOfWiki(db, id);
  if (name !== 'project_repository') return null;
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch', 'ref_state_version'])
    .where('project_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, version: getRefVersion(row) };
}

async function placeOfWiki(db: Reader, id: number): Promise<Readable | null> {
  const wiki = await findWikiById(db, id);
  return wiki === null || wiki.empty ? null : { ...wiki, version: getRefVersion(wiki) };
}

async function placeOfSnippet(db: Reader, id: number): Promise<Readable | null> {
  // index: snippets primary key
  const row = await db
    .selectFrom('snippets')
    .select(['storage', 'disk_path', 'updated_at as version'])
    .where('id', '=', id)
    .where('made', '=', true)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, default_branch: SNIPPET_BRANCH };
}

async function keepChecksum(
  tx: Transaction,
  replicable_name: ReplicableName,
  replicable_id: number,
  { version, checksum }: Pick<Known, 'version' | 'checksum'>,
): Promise<void> {
  const found = { version, checksum, checked_at: tx.now };
  await tx
    .insertInto('geo_checksums')
    .values({ replicable_name, replicable_id, ...found })
    .onConflict((conflict) => conflict.columns(['replicable_name', 'replicable_id']).doUpdateSet(found))
    .execute();
}
