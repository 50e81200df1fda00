import type { Insertable } from 'kysely';
import type { OptionPart, PipelineVariableInput, StoredJob, StoredPlan } from '#api/pipelines/ci-file/index.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import type { ProcessMode } from '#database/schema.ts';

/** Inserts the rows of a new pipeline. */

type NewPipelineRow = Insertable<Schema['pipelines']>;

/** Returns the id of the pipeline with this idempotency key, or null. index: pipelines_by_origin */
export async function findPipelineByOrigin(db: Reader, projectId: number, origin: string): Promise<number | null> {
  const pipelineQuery = db.selectFrom('pipelines').select('id').where('project_id', '=', projectId);
  return (await pipelineQuery.where('origin', '=', origin).executeTakeFirst())?.id ?? null;
}

/** Inserts a pipeline and returns its id. */
export async function insertPipeline(tx: Transaction, values: NewPipelineRow): Promise<number> {
  const { id } = await tx.insertInto('pipelines').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Inserts the variables of a pipeline, whose values are encrypted. */
export async function insertPipelineVariables(
  tx: Transaction,
  pipelineId: number,
  variables: readonly PipelineVariableInput[],
): Promise<void> {
  if (variables.length === 0) return;
  const rows = variables.map((variable) => ({ ...variable, pipeline_id: pipelineId }));
  await tx.insertInto('pipeline_variables').values(rows).execute();
}

type JobPipeline = Columns<'pipelines', 'id' | 'project_id' | 'protected' | 'user_id'>;

type InsertedJob = Columns<'jobs', 'id' | 'environment' | 'user_id'>;

/** Maximum rows per statement, because the database engines limit the number of parameters. */
const ROWS_PER_STATEMENT = 200;

/** Inserts the jobs in order as `created` and returns them. `groupIdsByKey`: ids of resource groups. */
export async function insertJobs(
  tx: Transaction,
  pipeline: JobPipeline,
  { jobs, parts }: Pick<StoredPlan, 'jobs' | 'parts'>,
  groupIdsByKey: ReadonlyMap<string, number>,
): Promise<InsertedJob[]> {
  const partIds = await insertOptionParts(tx, pipeline.id, parts);
  const insertedJobs: InsertedJob[] = [];
  for (let index = 0; index < jobs.length; index += ROWS_PER_STATEMENT) {
    const batch = jobs.slice(index, index + ROWS_PER_STATEMENT);
    const rows = await tx
      .insertInto('jobs')
      .values(batch.map((job) => toJobRow(tx, pipeline, job, groupIdsByKey, partIds)))
      .returning(['id', 'name', 'environment', 'user_id'])
      .execute();
    const idsByName = new Map(rows.map(({ id, name }) => [name, id]));
    await insertJobTags(tx, batch, idsByName);
    insertedJobs.push(...rows);
  }
  return insertedJobs;
}

/** Maximum characters per statement; a longer one would block the event loop. */
const CHARACTERS_PER_STATEMENT = 1024 * 1024;

/** Inserts parts of options and returns their ids in the same order. */
async function insertOptionParts(tx: Transaction, pipelineId: number, parts: readonly OptionPart[]): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < parts.length; ) {
    const values: Insertable<Schema['job_option_parts']>[] = [];
    for (
      let length = 0;
      index < parts.length && values.length < ROWS_PER_STATEMENT && length < CHARACTERS_PER_STATEMENT;
      index++
    ) {
      values.push({ ...parts[index]!, pipeline_id: pipelineId });
      length += parts[index]!.value.length;
    }
    const rows = await tx.insertInto('job_option_parts').values(values).returning('id').execute();
    // Ids ascend in the order of `values`, but RETURNING guarantees no order.
    ids.push(...rows.map(({ id }) => id).sort((a, b) => a - b));
  }
  return ids;
}

function toJobRow(
  tx: Transaction,
  pipeline: JobPipeline,
  job: StoredJob,
  groupIdsByKey: ReadonlyMap<string, number>,
  partIds: readonly number[],
): Insertable<Schema['jobs']> {
  return {
    project_id: pipeline.project_id,
    pipeline_id: pipeline.id,
    name: job.name,
    stage: job.stage,
    stage_index: job.stageIndex,
    status: 'created',
    run_when: job.when,
    allow_failure: job.allowFailure,
    retried: false,
    protected: pipeline.protected,
    user_id: pipeline.user_id,
    timeout: job.timeoutSeconds,
    environment: job.environment,
    resource_group_id: job.resourceGroup === null ? null : (groupIdsByKey.get(job.resourceGroup) ?? null),
    created_at: tx.now,
    updated_at: tx.now,
    needs: job.needs === null ? null : JSON.stringify(job.needs),
    option_parts: JSON.stringify(job.parts.map((partIndex) => partIds[partIndex])),
  };
}

async function insertJobTags(
  tx: Transaction,
  jobs: readonly StoredJob[],
  idsByName: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = jobs.flatMap(({ name, tags }) =>
    tags.map((tag, position) => ({ job_id: idsByName.get(name)!, name: tag, position })),
  );
  // Tags have few columns, so a statement may insert more rows.
  for (let index = 0; index < rows.length; index += ROWS_PER_STATEMENT * 10) {
    await tx
      .insertInto('job_tags')
      .values(rows.slice(index, index + ROWS_PER_STATEMENT * 10))
      .execute();
  }
}

/**
 * Returns the ids of resource groups by key. Missing groups are created with this process mode.
 * index: resource_groups_by_key
 */
export async function findOrCreateResourceGroups(
  tx: Transaction,
  projectId: number,
  keys: readonly string[],
  mode: ProcessMode,
): Promise<ReadonlyMap<string, number>> {
  const idsByKey = new Map<string, number>();
  // A fixed order prevents deadlocks.
  for (const key of [...new Set(keys)].sort()) {
    const { id } = await tx
      .insertInto('resource_groups')
      .values({ project_id: projectId, key, process_mode: mode, created_at: tx.now, updated_at: tx.now })
      // Changes nothing, but makes RETURNING include the existing row.
      .onConflict((conflict) => conflict.columns(['project_id', 'key']).doUpdateSet({ project_id: projectId }))
      .returning('id')
      .executeTakeFirstOrThrow();
    idsByKey.set(key, id);
  }
  return idsByKey;
}
