import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';

/** Queries for job data of pipelines. Each runs one statement for all pipelines. */

/** Returns the ids of the pipelines in which a job with `allow_failure` has failed or was canceled. index: jobs_latest_by_name */
export async function findPipelinesWithWarnings(
  db: Reader,
  pipelineIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await selectLatestJobs(db, pipelineIds)
    .select('pipeline_id')
    .distinct()
    .where('status', 'in', ['failed', 'canceled'])
    .where('allow_failure', '=', true)
    .execute();
  return new Set(rows.map(({ pipeline_id }) => pipeline_id));
}

/** Returns the average coverage of jobs and commit statuses, in percent. index: jobs_latest_by_name, commit_statuses_latest_by_name */
export async function loadAverageCoverages(
  db: Reader,
  pipelineIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const externalStatuses = db
    .selectFrom('commit_statuses')
    .select(['pipeline_id', 'coverage'])
    .where(isInIds(db, sql.ref('pipeline_id'), pipelineIds))
    .where(sql<boolean>`not retried`);
  const allCoverages = selectLatestJobs(db, pipelineIds).select(['pipeline_id', 'coverage']).unionAll(externalStatuses);
  const rows = await db
    .selectFrom(allCoverages.as('coverages'))
    .select(['pipeline_id', sql<number>`avg(coverage)`.as('average')])
    .where('coverage', 'is not', null)
    .groupBy('pipeline_id')
    .execute();
  return new Map(rows.map(({ pipeline_id, average }) => [pipeline_id, average]));
}

function selectLatestJobs(db: Reader, pipelineIds: readonly number[]) {
  return db
    .selectFrom('jobs')
    .where(isInIds(db, sql.ref('pipeline_id'), pipelineIds))
    .where(sql<boolean>`not retried`);
}

/** Returns the whole seconds in which at least one finished job of the pipeline ran, retried or not. Pipelines without such jobs are absent. index: jobs_by_pipeline */
export async function loadBusySeconds(
  db: Reader,
  pipelineIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['pipeline_id', 'started_at', 'finished_at'])
    .where(isInIds(db, sql.ref('pipeline_id'), pipelineIds))
    .where('started_at', 'is not', null)
    .where('finished_at', 'is not', null)
    .orderBy('started_at')
    .execute();
  const spans = Map.groupBy(rows, ({ pipeline_id }) => pipeline_id);
  return new Map(
    [...spans].map(([id, pipelineSpans]) => [id, Math.round(computeCoveredMilliseconds(pipelineSpans) / 1000)]),
  );
}

interface Span {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Returns the milliseconds that the spans cover together; the spans are sorted by start. */
function computeCoveredMilliseconds(spans: readonly Span[]): number {
  let [total, coveredUntil] = [0, Number.NEGATIVE_INFINITY];
  for (const { started_at, finished_at } of spans) {
    const [start, end] = [Date.parse(started_at!), Date.parse(finished_at!)];
    total += Math.max(0, end - Math.max(start, coveredUntil));
    coveredUntil = Math.max(coveredUntil, end);
  }
  return total;
}
