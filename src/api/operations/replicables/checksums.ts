import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Columns, Database, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import type { ReplicableName } from '#database/schema.ts';
import { findSnippet } from '#domain/snippets.ts';
import { findWikiById } from '#domain/wikis.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue, type JobRun } from '#jobs/job.ts';
import { getRefVersion, getRepository, type LocatedRepository } from '#repositories/repository.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import type { Replicable } from './replicable.ts';

// Checksums of repositories, with which secondaries verify their copies. A job computes the missing checksums that a
// secondary has requested. A server without secondaries computes none, and a push does not compute them.

interface ChecksumPayload {
  readonly name: ReplicableName;
  readonly ids: readonly number[];
}

/** Milliseconds after a failed computation in which requests do not start another one. */
const FAILURE_RETRY_MS = 3_600_000;

export const computeChecksums = defineJob({
  kind: 'geo_checksums',
  async handle(
    services: Pick<Services, 'database' | 'git' | 'clock' | 'log'>,
    payload: ChecksumPayload,
    { signal }: JobRun,
  ) {
    for (const id of payload.ids) {
      // The secondary requests the remaining checksums again.
      if (signal.aborted) return;
      await updateChecksum(services, payload.name, id);
    }
  },
});

/** Enqueues the computation of missing checksums, unless the same job is already queued. */
export async function enqueueChecksums(
  { database }: Pick<Services, 'database'>,
  replicables: readonly Replicable[],
): Promise<void> {
  const withoutChecksum = replicables.filter(({ checksum }) => checksum === null);
  if (withoutChecksum.length === 0) return;
  const replicablesByName = Map.groupBy(withoutChecksum, ({ replicable_name }) => replicable_name);
  await database.transaction(async (tx) => {
    for (const [name, replicablesOfName] of replicablesByName) {
      const ids = replicablesOfName.map(({ replicable_id }) => replicable_id).sort((a, b) => a - b);
      // A cut key may merge jobs for different ids: the secondary requests checksums that are still missing again.
      await enqueue(tx, computeChecksums, { name, ids }, { key: `${name} ${ids.join(' ')}`.slice(0, 1_000) });
    }
  });
}

interface VersionedLocation extends LocatedRepository {
  /** Changes with every change of the refs. */
  readonly version: string;
}

/** Computes and stores the checksum of a repository, unless the stored one is up to date. */
async function updateChecksum(
  { database, git, clock, log }: Pick<Services, 'database' | 'git' | 'clock' | 'log'>,
  name: ReplicableName,
  id: number,
): Promise<void> {
  const { reader } = database;
  const [location, storedChecksum] = [await findLocation(reader, name, id), await findStoredChecksum(reader, name, id)];
  if (
    location === null ||
    (storedChecksum !== null &&
      isUpToDate(storedChecksum, location.version, addMilliseconds(timestamp(clock), -FAILURE_RETRY_MS)))
  )
    return;
  // If refs change meanwhile, the checksum belongs to an old version and is requested again.
  const checksum = await computeRepositoryChecksum(git, getRepository(git, location)).catch((err: unknown) => {
    log.warn({ err, replicable: name, id }, 'Computing the checksum of a repository failed');
    return null;
  });
  await database.transaction((tx) => storeChecksum(tx, name, id, { version: location.version, checksum }));
}

type StoredChecksum = Columns<'geo_checksums', 'version' | 'checksum' | 'checked_at'>;

/** Returns whether the checksum belongs to the current refs. A failed computation counts if it is newer than `retryCutoff`. */
function isUpToDate(
  { version, checksum, checked_at }: StoredChecksum,
  currentVersion: string,
  retryCutoff: string,
): boolean {
  return version === currentVersion && (checksum !== null || checked_at > retryCutoff);
}

async function findStoredChecksum(db: Reader, name: ReplicableName, id: number): Promise<StoredChecksum | null> {
  // index: geo_checksums_pkey
  const row = await db
    .selectFrom('geo_checksums')
    .select(['version', 'checksum', 'checked_at'])
    .where('replicable_name', '=', name)
    .where('replicable_id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the repository of this kind and id; null for blobs, empty wikis and deleted repositories. */
async function findLocation(db: Reader, name: ReplicableName, id: number): Promise<VersionedLocation | null> {
  if (name === 'snippet_repository') return findSnippetLocation(db, id);
  if (name === 'project_wiki_repository' || name === 'group_wiki_repository') return findWikiLocation(db, id);
  if (name !== 'project_repository') return null;
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch', 'ref_state_version'])
    .where('project_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, version: getRefVersion(row) };
}

async function findWikiLocation(db: Reader, id: number): Promise<VersionedLocation | null> {
  const wiki = await findWikiById(db, id);
  return wiki === null || wiki.empty ? null : { ...wiki, version: getRefVersion(wiki) };
}

async function findSnippetLocation(db: Reader, id: number): Promise<VersionedLocation | null> {
  const snippet = await findSnippet(db, id);
  return snippet === null ? null : { ...snippet, version: getRefVersion(snippet) };
}

async function storeChecksum(
  tx: Transaction,
  replicable_name: ReplicableName,
  replicable_id: number,
  { version, checksum }: Pick<StoredChecksum, 'version' | 'checksum'>,
): Promise<void> {
  const checksumRow = { version, checksum, checked_at: tx.now };
  await tx
    .insertInto('geo_checksums')
    .values({ replicable_name, replicable_id, ...checksumRow })
    .onConflict((conflict) => conflict.columns(['replicable_name', 'replicable_id']).doUpdateSet(checksumRow))
    .execute();
}

// Stored checksums, and the repositories to which they belong.

/** The id column of each kind of repository. */
const ID_COLUMNS = {
  project_repository: 'repositories.project_id',
  project_wiki_repository: 'wikis.wiki_id',
  group_wiki_repository: 'wikis.wiki_id',
  snippet_repository: 'snippets.id',
} as const satisfies Partial<Record<ReplicableName, `${string}.${string}`>>;

type RepositoryKind = keyof typeof ID_COLUMNS;

/** Maximum number of rows that one transaction deletes. */
const BATCH_SIZE = 1_000;

/** Returns the join condition: `join.on(isChecksumOf('snippet_repository'))` joins `snippets`. index: geo_checksums_pkey */
export function isChecksumOf(kind: RepositoryKind): RawBuilder<SqlBool> {
  return sql<SqlBool>`geo_checksums.replicable_name = ${kind} and geo_checksums.replicable_id = ${sql.ref(ID_COLUMNS[kind])}`;
}

/** Deletes the checksums of repositories that no longer exist. */
export async function deleteOrphanedChecksums(database: Database): Promise<void> {
  for (const kind of Object.keys(ID_COLUMNS) as RepositoryKind[])
    while ((await deleteChecksumBatch(database, kind)) === BATCH_SIZE);
}

/** Deletes a batch of orphaned checksums of a kind. Returns the number of deleted rows. */
async function deleteChecksumBatch({ reader, transaction }: Database, kind: RepositoryKind): Promise<number> {
  const ids = await listOrphanIds(reader, kind);
  if (ids.length === 0) return 0;
  await transaction((tx) =>
    tx
      .deleteFrom('geo_checksums')
      .where('replicable_name', '=', kind)
      .where(isInIds(tx, sql<number>`replicable_id`, ids))
      .execute(),
  );
  return ids.length;
}

/** index: geo_checksums_pkey, repositories primary key, wikis primary key, snippets primary key */
async function listOrphanIds(db: Reader, kind: RepositoryKind): Promise<number[]> {
  const [table] = ID_COLUMNS[kind].split('.') as [string];
  const rows = await db
    .selectFrom('geo_checksums')
    .select('replicable_id')
    .where('replicable_name', '=', kind)
    .where(sql<SqlBool>`not exists (select 1 from ${sql.table(table)} where ${isChecksumOf(kind)})`)
    .limit(BATCH_SIZE)
    .modifyEnd(LONG_RUNNING)
    .execute();
  return rows.map(({ replicable_id }) => replicable_id);
}
