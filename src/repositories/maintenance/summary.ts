import { type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import { subscription } from '#events/event-bus.ts';
import { countCommits } from '#git/commits/commit-log.ts';
import { type Git, ownedBy } from '#git/git.ts';
import { branchTip } from '#git/refs/revision.ts';
import { objectsSize } from '#git/storage/objects-size.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { momentAfter } from '#runtime/clock.ts';
import { findReadme, isCurrent } from '../readme.ts';
import { type Placed, refVersion, repositoryOf, type Versioned } from '../repository.ts';
import type { RefServices } from '../services.ts';

/**
 * What lists and statistics show of a repository stands in its row, with the version of refs that it was read at: whoever
 * reads the row reads the present version with it, and looks into the repository himself where the two differ. The queue
 * writes it down soon after each change of refs.
 */

/** A repository rests for so long after a change, so that a burst of pushes costs one look. */
const REST_MS = 2_000;
const BATCH = 200;

interface Row extends Versioned {
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

export const summarize = defineJob({
  kind: 'repository_summary',
  handle: (services: RefServices, { projectId }: { readonly projectId: number }) => refreshSummary(services, projectId),
});

/** Looks into the repository and writes down what is there. */
export async function refreshSummary(services: RefServices, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await services.database.reader
    .selectFrom('repositories')
    .select(columns)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row !== undefined) await writeSummary(services, row);
}

/** Asks for it, soon; while one waits, no more is added. */
export function summarizeSoon(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(tx, summarize, { projectId }, { key: String(projectId), runAt: momentAfter(tx.now, REST_MS) });
}

export const summarizeAfterChanges = subscription({
  event: 'refs-changed',
  inTransaction: (uow, { projectId }) => summarizeSoon(uow, projectId),
});

/** Each day what was missed is caught up, and what Hearth kept no summary of when it was made. */
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
      for (const row of rows.filter((one) => !isCurrent(one))) await writeSummary(services, row);
      after = rows.at(-1)?.project_id ?? after;
      if (rows.length < BATCH) return;
    }
  },
});

export const summarizeAllDaily = { name: 'repository_summaries', cron: '50 2 * * *', job: summarizeAll };

/** The refs may have moved on since the row was read: what is newer than its version is replaced with the next one. */
async function writeSummary({ database, git }: RefServices, row: Row): Promise<void> {
  try {
    const [readme, measures] = await Promise.all([findReadme(git, row), measure(git, row)]);
    const summary = { ...measures, readme, summary_version: refVersion(row) };
    await database.transaction((tx) =>
      tx
        .updateTable('repositories')
        .set(summary)
        .where('project_id', '=', row.project_id)
        // What it has left tells nothing of it.
        .where('storage', '=', row.storage)
        .where('disk_path', '=', row.disk_path)
        .execute(),
    );
  } catch (error) {
    // Whoever reads it is told the same; trying again does not mend a repository.
    git.log('repository_unreadable', { project: row.project_id, err: error });
  }
}

/** What of a repository is counted. */
export interface Measures {
  /** Of the default branch. */
  readonly commit_count: number;
  /** Bytes. */
  readonly size: number;
}

async function measure(git: Git, row: Placed & { readonly default_branch: string }): Promise<Measures> {
  const repository = repositoryOf(git, row);
  const tip = await branchTip(repository, row.default_branch);
  const [commit_count, size] = await Promise.all([
    tip === null ? 0 : commitsBelow(git, row, tip),
    objectsSize(repository),
  ]);
  return { commit_count, size };
}

/** How many commits are reachable from one holds for ever. */
const counted = ownedBy(() => keptAtMost<number>(10_000));

async function commitsBelow(git: Git, row: Placed, tip: string): Promise<number> {
  const repository = repositoryOf(git, row);
  const key = `${repository.directory} ${tip}`;
  const known = counted(git).get(key);
  if (known !== undefined) return known;
  const count = await countCommits(git, repository, { include: [tip] });
  counted(git).set(key, count);
  return count;
}

/** The measures of these projects' repositories by project, as refs are now. */
export async function measuresOf(
  db: Reader,
  git: Git,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, Measures>> {
  if (projectIds.length === 0) return new Map();
  // index: repositories primary key
  const rows = await db
    .selectFrom('repositories')
    .select([...columns, 'commit_count', 'size'])
    .where('project_id', 'in', projectIds)
    .where('empty', '=', false)
    .execute();
  const measured = rows.map(async (row) => {
    const { commit_count, size } = row;
    const kept = isCurrent(row) && commit_count !== null && size !== null;
    return [row.project_id, kept ? { commit_count, size } : await measure(git, row)] as const;
  });
  return new Map(await Promise.all(measured));
}

/** `isCurrent` in SQL. */
const currentInRow = () =>
  sql<SqlBool>`(summary_version is not null and summary_version = cast(ref_state_version as text) || ' ' || default_branch)`;

/** So many repositories are measured for one answer; of more that have just changed the last known sizes count. */
const MOST_MEASURED = 100;

/** Bytes of the repositories of the projects directly in each of these namespaces. */
export async function repositorySizesIn(
  db: Reader,
  git: Git,
  namespaceIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  // index: projects_by_namespace, repositories primary key
  const inside = db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .where('projects.namespace_id', 'in', namespaceIds)
    .where('repositories.empty', '=', false);
  const sums = await inside
    .select(['projects.namespace_id', sql<number>`cast(coalesce(sum(repositories.size), 0) as bigint)`.as('bytes')])
    .groupBy('projects.namespace_id')
    .modifyEnd(mayBeLong)
    .execute();
  const changed = await inside
    .select(['projects.namespace_id', ...columns, 'repositories.size'])
    .where((eb) => eb.not(currentInRow()))
    .orderBy('projects.id', 'desc')
    .limit(MOST_MEASURED)
    .modifyEnd(mayBeLong)
    .execute();
  const sizes = new Map(sums.map(({ namespace_id, bytes }) => [namespace_id, bytes]));
  for (const { namespace_id, size, ...row } of changed) {
    const now = await objectsSize(repositoryOf(git, row));
    sizes.set(namespace_id, (sizes.get(namespace_id) ?? 0) + now - (size ?? 0));
  }
  return sizes;
}
