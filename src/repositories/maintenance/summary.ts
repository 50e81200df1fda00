import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { longRunning } from '#database/engines/long-statements.ts';
import { subscription } from '#events/event-bus.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { measureObjects } from '#git/storage/objects-size.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { findReadme, isSummaryCurrent } from '../readme.ts';
import { getRefVersion, getRepository, type LocatedRepository, type VersionedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

/**
 * Data of a repository for lists and statistics, stored in its row with the ref version that it was read at. Readers
 * compare that with the current version and read the repository itself if they differ. A job updates the row after ref
 * changes.
 */

/** Delay after a change in milliseconds, so that a burst of pushes causes one update. */
const SUMMARY_DELAY_MS = 2_000;
const BATCH = 200;

interface Row extends VersionedRepository {
  readonly project_id: number;
  readonly summary_version: string | null;
}

const columns = [
  'project_id',
  'storage',
  'disk_path',
  'ref_state_version',
  'default_branch',
  'summary_version',
] as const;

export const summarizeRepository = defineJob({
  kind: 'repository_summary',
  handle: (services: RefServices, { projectId }: { readonly projectId: number }) => refreshSummary(services, projectId),
});

/** Reads the repository and stores its summary. */
export async function refreshSummary(services: RefServices, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await services.database.reader
    .selectFrom('repositories')
    .select(columns)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row !== undefined) await writeSummary(services, row);
}

/** Enqueues an update of the summary, unless one is enqueued already. */
export function enqueueSummary(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(
    tx,
    summarizeRepository,
    { projectId },
    { key: String(projectId), runAt: addMilliseconds(tx.now, SUMMARY_DELAY_MS) },
  );
}

export const summarizeAfterRefChanges = subscription({
  event: 'refs-changed',
  inTransaction: (uow, { projectId }) => enqueueSummary(uow, projectId),
});

/** Updates outdated and missing summaries daily. */
export const summarizeAll = defineJob({
  kind: 'repository_summaries',
  async handle(services: RefServices) {
    for (let after = 0; ; ) {
      // index: repositories primary key
      const rows = await services.database.reader
        .selectFrom('repositories')
        .select(columns)
        .where('project_id', '>', after)
        .where('empty', '=', false)
        .orderBy('project_id')
        .limit(BATCH)
        .execute();
      for (const row of rows.filter((one) => !isSummaryCurrent(one))) await writeSummary(services, row);
      after = rows.at(-1)?.project_id ?? after;
      if (rows.length < BATCH) return;
    }
  },
});

export const summarizeAllDaily = { name: 'repository_summaries', cron: '50 2 * * *', job: summarizeAll };

/** The refs may have moved since the row was read. The next version then replaces this summary. */
async function writeSummary({ database, git }: RefServices, row: Row): Promise<void> {
  try {
    const [readme, measures] = await Promise.all([findReadme(git, row), measure(git, row)]);
    const summary = { ...measures, readme, summary_version: getRefVersion(row) };
    await database.transaction((tx) =>
      tx
        .updateTable('repositories')
        .set(summary)
        .where('project_id', '=', row.project_id)
        // Only if the repository has not been moved meanwhile.
        .where('storage', '=', row.storage)
        .where('disk_path', '=', row.disk_path)
        .execute(),
    );
  } catch (error) {
    // Readers get the same error; a retry does not repair a repository.
    git.log('repository_unreadable', { project: row.project_id, err: error });
  }
}

/** Measured data of a repository. */
export interface RepositoryMeasures {
  /** Of the default branch. */
  readonly commit_count: number;
  /** Bytes. */
  readonly size: number;
}

async function measure(
  git: Git,
  row: LocatedRepository & { readonly default_branch: string },
): Promise<RepositoryMeasures> {
  const repository = getRepository(git, row);
  const tip = await findBranchHead(repository, row.default_branch);
  const [commit_count, size] = await Promise.all([
    tip === null ? 0 : countReachable(git, row, tip),
    measureObjects(repository),
  ]);
  return { commit_count, size };
}

/** The number of commits reachable from a commit never changes. */
const commitCountCache = definePerGit(() => createBoundedCache<number>(10_000));

async function countReachable(git: Git, row: LocatedRepository, tip: string): Promise<number> {
  const repository = getRepository(git, row);
  const key = `${repository.directory} ${tip}`;
  const cached = commitCountCache(git).get(key);
  if (cached !== undefined) return cached;
  const count = await countCommits(git, repository, { include: [tip] });
  commitCountCache(git).set(key, count);
  return count;
}

/** Returns the current measures of the repositories of these projects, by project id. */
export async function loadRepositoryMeasures(
  db: Reader,
  git: Git,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, RepositoryMeasures>> {
  if (projectIds.length === 0) return new Map();
  // index: repositories primary key
  const rows = await db
    .selectFrom('repositories')
    .select([...columns, 'commit_count', 'size'])
    .where('project_id', 'in', projectIds)
    .where('empty', '=', false)
    .execute();
  const measurements = rows.map(async (row) => {
    const { commit_count, size } = row;
    const isStored = isSummaryCurrent(row) && commit_count !== null && size !== null;
    return [row.project_id, isStored ? { commit_count, size } : await measure(git, row)] as const;
  });
  return new Map(await Promise.all(measurements));
}

/** `isSummaryCurrent` in SQL. */
const isSummaryCurrentSql = () =>
  sql<SqlBool>`(summary_version is not null and summary_version = cast(ref_state_version as text) || ' ' || default_branch)`;

/** Maximum repositories measured per call; for further outdated ones the stored size counts. */
const MAX_MEASURED = 100;

/** Returns the bytes of the repositories of the projects directly in each namespace. */
export async function loadRepositorySizes(
  db: Reader,
  git: Git,
  namespaceIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // index: projects_by_namespace, repositories primary key
  const namespaceRepositories = db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .where('projects.namespace_id', 'in', namespaceIds)
    .where('repositories.empty', '=', false);
  const storedSums = await namespaceRepositories
    .select(['projects.namespace_id', sql<number>`cast(coalesce(sum(repositories.size), 0) as bigint)`.as('bytes')])
    .groupBy('projects.namespace_id')
    .modifyEnd(longRunning)
    .execute();
  const changedRepositories = await namespaceRepositories
    .select(['projects.namespace_id', ...columns, 'repositories.size'])
    .where((eb) => eb.not(isSummaryCurrentSql()))
    .orderBy('projects.id', 'desc')
    .limit(MAX_MEASURED)
    .modifyEnd(longRunning)
    .execute();
  const sizes = new Map(storedSums.map(({ namespace_id, bytes }) => [namespace_id, bytes]));
  for (const { namespace_id, size, ...row } of changedRepositories) {
    const now = await measureObjects(getRepository(git, row));
    sizes.set(namespace_id, (sizes.get(namespace_id) ?? 0) + now - (size ?? 0));
  }
  return sizes;
}
