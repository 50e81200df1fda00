import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Schema } from '#database/database.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { DetailedStatus, toDetailedStatus } from './detailed-status.ts';
import { findPipelinesWithWarnings, loadAverageCoverages, loadBusySeconds } from './relations.ts';

/** The entities of a pipeline (contract/runners.md §4.1, §4.3). */

/** A pipeline's row with the full path of its project. */
export type PipelineSummaryRow = Omit<
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

const text = Type.String();
const integer = Type.Integer();
const name = nullable(text);

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
export const PipelineInList = entity('PipelineListed', { ...basicFields, name })
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
  /** Number of seconds in which at least one job ran. */
  duration: nullable(integer),
  /** Whole seconds from creation to start; null if less than one. */
  queued_duration: nullable(integer),
  coverage: nullable(text),
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
export const PipelineDetail = entity('PipelineDetail', { ...fullFields, name })
  .columns('name')
  .from(loadPipelineRelations, toPipelineFields);
