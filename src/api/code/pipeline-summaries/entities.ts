import { type Selectable, sql } from 'kysely';
import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { PipelineStatus } from '#database/schema.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';

const text = Type.String();

/** A status for display (contract/runners.md §4.1). */
const DetailedStatus = objectSchema('DetailedStatus', {
  icon: text,
  text,
  label: text,
  group: text,
  tooltip: text,
  has_details: Type.Boolean(),
  details_path: text,
  illustration: nullable(text),
  favicon: text,
});

/** The text of each status, and its label if it is not the lower-case text. */
const STATUS_TEXTS: Readonly<Record<PipelineStatus, readonly [text: string, label?: string]>> = {
  created: ['Created'],
  waiting_for_resource: ['Waiting', 'waiting for resource'],
  preparing: ['Preparing'],
  waiting_for_callback: ['Waiting', 'waiting for callback'],
  pending: ['Pending'],
  running: ['Running'],
  success: ['Passed'],
  failed: ['Failed'],
  canceling: ['Canceling'],
  canceled: ['Canceled'],
  skipped: ['Skipped'],
  manual: ['Manual', 'waiting for manual action'],
  scheduled: ['Scheduled', 'waiting for delayed action'],
};

/** Returns the status for display. `hasWarnings` means that jobs with `allow_failure` have failed. */
function toDetailedStatus(
  { id, status, full_path }: { readonly id: number; readonly status: PipelineStatus; readonly full_path: string },
  hasWarnings: boolean,
) {
  const isWarning = hasWarnings && status === 'success';
  const [text, label = text.toLowerCase()] = isWarning
    ? (['Warning', 'passed with warnings'] as const)
    : STATUS_TEXTS[status];
  return {
    icon: isWarning ? 'status_warning' : `status_${status}`,
    text,
    label,
    group: isWarning ? 'success-with-warnings' : status.replaceAll('_', '-'),
    tooltip: label,
    has_details: true,
    details_path: `/${full_path}/-/pipelines/${id}`,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${status}.png`,
  };
}

// The entities of a pipeline (contract/runners.md §4.1, §4.3).

/** A pipeline's row with the full path of its project. */
type PipelineSummaryRow = Omit<
  Selectable<Schema['pipelines']>,
  'origin' | 'failure_reason' | 'outcome' | 'protected' | 'trigger_id' | 'schedule_id'
> & {
  readonly full_path: string;
};

/** The columns that `PipelineBasic` needs. */
export type PipelineBasicRow = Pick<
  PipelineSummaryRow,
  'id' | 'iid' | 'project_id' | 'sha' | 'ref' | 'status' | 'source' | 'created_at' | 'updated_at' | 'full_path'
>;

const integer = Type.Integer();
const nameField = {
  name: nullable(Type.String({ description: 'Value of `workflow: name` in the CI/CD file; null without one.' })),
};

const basicFields = {
  id: integer,
  iid: integer,
  project_id: integer,
  sha: text,
  ref: text,
  status: text,
  source: text,
  created_at: dateTime,
  updated_at: dateTime,
  web_url: text,
};

/** The pipeline of a job. */
export const PipelineBasic = entity('PipelineBasic', basicFields)
  .columns('id', 'iid', 'project_id', 'sha', 'ref', 'status', 'source', 'created_at', 'updated_at')
  .from((row: PipelineBasicRow, { url }) => ({ web_url: `${url}/${row.full_path}/-/pipelines/${row.id}` }));

/** A pipeline in a list. */
export const PipelineInList = entity('PipelineListed', { ...basicFields, ...nameField })
  .columns('name')
  .from((row: PipelineBasicRow & Pick<PipelineSummaryRow, 'name'>, context) => PipelineBasic.serialize(row, context));

const fullFields = {
  ...basicFields,
  before_sha: text,
  tag: Type.Boolean(),
  yaml_errors: nullable(text),
  /** Null if the user was deleted. */
  user: nullable(UserBasic.schema),
  started_at: nullable(dateTime),
  finished_at: nullable(dateTime),
  committed_at: Type.Null(),
  duration: nullable(Type.Integer({ description: 'Number of seconds in which at least one job ran.' })),
  queued_duration: nullable(Type.Integer({ description: 'Seconds from creation to start; null if less than one.' })),
  coverage: nullable(Type.String({ description: 'Average coverage of the jobs in percent.' })),
  detailed_status: DetailedStatus,
  archived: Type.Boolean(),
};

type PipelineRelations = Awaited<ReturnType<typeof loadPipelineRelations>>;

async function loadPipelineRelations(rows: readonly PipelineSummaryRow[], { db }: SerializationContext) {
  const ids = rows.map(({ id }) => id);
  return {
    users: await loadUsersById(
      db,
      rows.map(({ user_id }) => user_id),
    ),
    withWarnings: await findPipelinesWithWarnings(db, ids),
    busySeconds: await loadBusySeconds(db, ids),
    coverages: await loadAverageCoverages(db, ids),
  };
}

function toPipelineFields(
  row: PipelineSummaryRow,
  context: SerializationContext,
  { users, withWarnings, busySeconds, coverages }: PipelineRelations,
) {
  // No user has the id 0.
  const user = users.get(row.user_id ?? 0);
  return {
    ...PipelineBasic.serialize(row, context),
    before_sha: row.before_sha,
    tag: row.tag,
    yaml_errors: row.yaml_errors,
    user: user === undefined ? null : UserBasic.serialize(user, context),
    started_at: row.started_at,
    finished_at: row.finished_at,
    committed_at: null,
    duration: row.finished_at === null ? null : (busySeconds.get(row.id) ?? null),
    queued_duration: countWholeSeconds(row.created_at, row.started_at),
    coverage: coverages.get(row.id)?.toFixed(2) ?? null,
    detailed_status: toDetailedStatus(row, withWarnings.has(row.id)),
    archived: false,
  };
}

/** Returns the whole seconds between two timestamps; null if there is no end or less than a second passed. */
function countWholeSeconds(start: string, end: string | null): number | null {
  const seconds = end === null ? 0 : Math.floor((Date.parse(end) - Date.parse(start)) / 1000);
  return seconds > 0 ? seconds : null;
}

/** The response to creating a pipeline. */
export const Pipeline = entity('Pipeline', fullFields).from(loadPipelineRelations, toPipelineFields);

/** A single pipeline. */
export const PipelineDetail = entity('PipelineDetail', { ...fullFields, ...nameField })
  .columns('name')
  .from(loadPipelineRelations, toPipelineFields);

// Queries for job data of pipelines. Each runs one statement for all pipelines.

/** Returns the ids of the pipelines in which a job with `allow_failure` has failed or was canceled. index: jobs_latest_by_name */
async function findPipelinesWithWarnings(db: Reader, pipelineIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await selectLatestJobs(db, pipelineIds)
    .select('pipeline_id')
    .distinct()
    .where('status', 'in', ['failed', 'canceled'])
    .where('allow_failure', '=', true)
    .execute();
  return new Set(rows.map(({ pipeline_id }) => pipeline_id));
}

/** Returns the average coverage of jobs and commit statuses, in percent. index: jobs_latest_by_name, commit_statuses_latest_by_name */
async function loadAverageCoverages(db: Reader, pipelineIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
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

/** Selects the jobs of these pipelines that were not retried. */
function selectLatestJobs(db: Reader, pipelineIds: readonly number[]) {
  return db
    .selectFrom('jobs')
    .where(isInIds(db, sql.ref('pipeline_id'), pipelineIds))
    .where(sql<boolean>`not retried`);
}

/**
 * Returns the seconds in which at least one finished job of the pipeline ran, by pipeline id. Retried jobs count too; pipelines without
 * finished jobs are absent. index: jobs_by_pipeline
 */
async function loadBusySeconds(db: Reader, pipelineIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
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

/** The time in which a job ran. */
interface Span {
  readonly started_at: string | null;
  readonly finished_at: string | null;
}

/** Returns the milliseconds that the spans cover together; the spans are sorted by start. */
function computeCoveredMilliseconds(spans: readonly Span[]): number {
  let total = 0;
  let coveredUntil = Number.NEGATIVE_INFINITY;
  for (const { started_at, finished_at } of spans) {
    const [start, end] = [Date.parse(started_at!), Date.parse(finished_at!)];
    total += Math.max(0, end - Math.max(start, coveredUntil));
    coveredUntil = Math.max(coveredUntil, end);
  }
  return total;
}
