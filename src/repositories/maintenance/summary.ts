import { type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { measureObjects } from '#git/storage/maintenance.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { findReadme, isSummaryCurrent } from '../readme.ts';
import { getRefVersion, getRepository, type LocatedRepository, type VersionedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

// Summary of a repository for lists and statistics, stored in its row with its ref version. If that version is not the
// current one, readers read the repository itself. A job updates the row after ref changes.

/** Delay after a change in milliseconds, so that a burst of pushes causes one update. */
const SUMMARY_DELAY_MS = 2_000;
/** Number of repositories per query. */
const BATCH_SIZE = 200;

interface RepositoryRow extends VersionedRepository, Columns<'repositories', 'project_id' | 'summary_version'> {}

const SUMMARY_COLUMNS = [
  'project_id',
  'storage',
  'disk_path',
  'ref_state_version',
  'default_branch',
  'summary_version',
] as const;

export const updateRepositorySummary = defineJob({
  kind: 'update_repository_summary',
  handle: (services: RefServices, { projectId }: { readonly projectId: number }) => refreshSummary(services, projectId),
});

/** Reads the repository and stores its summary. */
export async function refreshSummary(services: RefServices, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await services.database.reader
    .selectFrom('repositories')
    .select(SUMMARY_COLUMNS)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row !== undefined) await writeSummary(services, row);
}

/** Enqueues an update of the summary, unless one is enqueued already. */
export function enqueueSummary(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(
    tx,
    updateRepositorySummary,
    { projectId },
    { key: String(projectId), runAt: addMilliseconds(tx.now, SUMMARY_DELAY_MS) },
  );
}

export const updateRepositorySummaryAfterRefChanges = defineSubscription({
  event: 'refs-changed',
  inTransaction: (uow, { projectId }) => enqueueSummary(uow, projectId),
});

/** Updates outdated and missing summaries daily. */
export const updateOutdatedRepositorySummaries = defineJob({
  kind: 'update_outdated_repository_summaries',
  async handle(services: RefServices) {
    for (let afterId = 0; ; ) {
      // index: repositories primary key
      const rows = await services.database.reader
        .selectFrom('repositories')
        .select(SUMMARY_COLUMNS)
        .where('project_id', '>', afterId)
        .where('empty', '=', false)
        .orderBy('project_id')
        .limit(BATCH_SIZE)
        .execute();
      for (const row of rows.filter((repositoryRow) => !isSummaryCurrent(repositoryRow)))
        await writeSummary(services, row);
      afterId = rows.at(-1)?.project_id ?? afterId;
      if (rows.length < BATCH_SIZE) return;
    }
  },
});

export const updateOutdatedRepositorySummariesDaily = {
  name: 'update_outdated_repository_summaries',
  cron: '50 2 * * *',
  job: updateOutdatedRepositorySummaries,
};

/** Stores the summary. If the refs have moved since the row was read, the next update replaces it. */
async function writeSummary({ database, git }: RefServices, row: RepositoryRow): Promise<void> {
  try {
    const [readme, measures] = await Promise.all([findReadme(git, row), measureRepository(git, row)]);
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
  /** Number of commits of the default branch. */
  readonly commit_count: number;
  /** Bytes of the objects. */
  readonly size: number;
}

/** Reads the measures from the repository. */
async function measureRepository(
  git: Git,
  row: LocatedRepository & { readonly default_branch: string },
): Promise<RepositoryMeasures> {
  const repository = getRepository(git, row);
  const head = await findBranchHead(repository, row.default_branch);
  const [commit_count, size] = await Promise.all([
    head === null ? 0 : countCommitsCached(git, row, head),
    measureObjects(repository),
  ]);
  return { commit_count, size };
}

/** Commit counts by repository and head. They never change: a commit's ancestors are immutable. */
const commitCountCache = definePerGit(() => createBoundedCache<number>(10_000));

async function countCommitsCached(git: Git, row: LocatedRepository, head: string): Promise<number> {
  const repository = getRepository(git, row);
  const key = `${repository.directory} ${head}`;
  const cached = commitCountCache(git).get(key);
  if (cached !== undefined) return cached;
  const count = await countCommits(git, repository, { include: [head] });
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
    .select([...SUMMARY_COLUMNS, 'commit_count', 'size'])
    .where('project_id', 'in', projectIds)
    .where('empty', '=', false)
    .execute();
  const measurements = rows.map(async (row) => {
    const { commit_count, size } = row;
    const isStored = isSummaryCurrent(row) && commit_count !== null && size !== null;
    return [row.project_id, isStored ? { commit_count, size } : await measureRepository(git, row)] as const;
  });
  return new Map(await Promise.all(measurements));
}

/** `isSummaryCurrent` in SQL. */
const isSummaryCurrentSql = () =>
  sql<SqlBool>`(summary_version is not null and summary_version = cast(ref_state_version as text) || ' ' || default_branch)`;

/** Maximum number of repositories measured per call; for further outdated ones the stored size counts. */
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
    .modifyEnd(LONG_RUNNING)
    .execute();
  const outdatedRepositories = await namespaceRepositories
    .select(['projects.namespace_id', ...SUMMARY_COLUMNS, 'repositories.size'])
    .where((eb) => eb.not(isSummaryCurrentSql()))
    .orderBy('projects.id', 'desc')
    .limit(MAX_MEASURED)
    .modifyEnd(LONG_RUNNING)
    .execute();
  const sizes = new Map(storedSums.map(({ namespace_id, bytes }) => [namespace_id, bytes]));
  for (const { namespace_id, size, ...row } of outdatedRepositories) {
    const currentSize = await measureObjects(getRepository(git, row));
    sizes.set(namespace_id, (sizes.get(namespace_id) ?? 0) + currentSize - (size ?? 0));
  }
  return sizes;
}
