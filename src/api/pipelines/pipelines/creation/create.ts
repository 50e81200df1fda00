import type { KeyObject } from 'node:crypto';
import type { Insertable } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { OptionPart, PipelineVariableInput, StoredJob, StoredPlan } from '#api/pipelines/ci-file/index.ts';
import { createEnvironmentsForJobs, processPipeline, recordOutcome } from '#api/pipelines/processing/index.ts';
import { findPipeline, type PipelineRow } from '#authorization/pipelines.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import type { PipelineStatus, ProcessMode } from '#database/schema.ts';
import { allocateIid } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import { isProtectedRef, type PipelineRequest } from './prepare.ts';

/** The status and reason of a pipeline without jobs. */
type PipelineWithoutJobs = { readonly status: PipelineStatus; readonly yamlErrors?: string };

interface CreationContext {
  /** Idempotency key: only one pipeline per origin is created. Null: no limit. */
  readonly origin: string | null;
  /** Encrypts the values of variables. */
  readonly key: KeyObject;
}

/** Replaces the failure for an invalid CI file by a failed pipeline; returns other results unchanged. */
export function toFailedPipelineIfInvalid<Code extends string>(
  plan: StoredPlan | Failure<Code | 'invalid'>,
): StoredPlan | PipelineWithoutJobs | Failure<Exclude<Code, 'invalid'>> {
  if (!isFailure(plan)) return plan;
  if (plan.code === 'invalid') return { status: 'failed', yamlErrors: String(plan.values.text) };
  return plan as Failure<Exclude<Code, 'invalid'>>;
}

/**
 * Inserts the pipeline with its variables and jobs and starts it, or inserts a pipeline that never runs. Returns its
 * id, or null if a pipeline with this origin exists.
 */
export async function createPipeline(
  uow: UnitOfWork,
  request: PipelineRequest,
  content: StoredPlan | PipelineWithoutJobs,
  { origin, key }: CreationContext,
): Promise<number | null> {
  const { project, user } = request;
  if (origin !== null && (await findPipelineByOrigin(uow, project.id, origin)) !== null) return null;
  // Only content without jobs has a status.
  const status = 'status' in content ? content.status : 'created';
  const isFailed = status === 'failed';
  const row = {
    project_id: project.id,
    iid: await allocateIid(uow, { projectId: project.id }, 'pipeline'),
    ref: request.ref,
    tag: request.tag,
    sha: request.sha,
    before_sha: request.before_sha,
    source: request.source,
    origin,
    status,
    protected: request.protected,
    user_id: user.id,
    trigger_id: request.trigger_id ?? null,
    schedule_id: request.schedule_id ?? null,
    yaml_errors: 'status' in content ? (content.yamlErrors ?? null) : null,
    failure_reason: isFailed ? 'config_error' : null,
    name: 'status' in content ? null : content.name,
    started_at: null,
    finished_at: isFailed ? uow.now : null,
    created_at: uow.now,
    updated_at: uow.now,
  };
  const id = await insertPipeline(uow, row);
  await insertPipelineVariables(
    uow,
    id,
    request.variables.map((variable) => encryptVariable(variable, key)),
  );
  if ('status' in content) {
    await recordOutcome(uow, id, status);
    return id;
  }
  const resourceGroupKeys = content.jobs.flatMap(({ resourceGroup }) =>
    resourceGroup === null ? [] : [resourceGroup],
  );
  const mode = parseStoredAttributes(project).resource_group_default_process_mode;
  const groupIdsByKey = await findOrCreateResourceGroups(uow, project.id, resourceGroupKeys, mode);
  const jobs = await insertJobs(uow, { ...row, id }, content, groupIdsByKey);
  await createEnvironmentsForJobs(uow, { project_id: project.id, pipeline_id: id }, jobs);
  await processPipeline(uow, { id, project_id: project.id });
  return id;
}

function encryptVariable(variable: PipelineVariableInput, key: KeyObject): PipelineVariableInput {
  return { ...variable, value: encrypt(key, variable.value, ENCRYPTED_COLUMNS.pipelineVariable.buildContext({})) };
}

type ExternalPipelineInput = Pick<PipelineRequest, 'project' | 'user' | 'ref' | 'tag' | 'sha' | 'baseUrl'>;

/** Creates a pipeline without jobs for the external statuses of a commit. Its status is computed from them. */
export async function createExternalPipeline(
  uow: UnitOfWork,
  input: ExternalPipelineInput,
  key: KeyObject,
): Promise<PipelineRow> {
  const { project, ref, tag } = input;
  const request = {
    ...input,
    before_sha: ZERO_ID,
    source: 'external' as const,
    protected: await isProtectedRef(uow, project.id, ref, tag),
    variables: [],
  };
  const id = await createPipeline(uow, request, { status: 'created' }, { origin: null, key });
  // Without an idempotency key, a pipeline is always created.
  return (await findPipeline(uow, project.id, id!))!;
}

// Inserts the rows of a new pipeline.

type NewPipelineRow = Insertable<Schema['pipelines']>;

/** Returns the id of the pipeline with this idempotency key, or null. index: pipelines_by_origin */
export async function findPipelineByOrigin(db: Reader, projectId: number, origin: string): Promise<number | null> {
  const pipelineQuery = db.selectFrom('pipelines').select('id').where('project_id', '=', projectId);
  return (await pipelineQuery.where('origin', '=', origin).executeTakeFirst())?.id ?? null;
}

/** Inserts a pipeline and returns its id. */
async function insertPipeline(tx: Transaction, values: NewPipelineRow): Promise<number> {
  const { id } = await tx.insertInto('pipelines').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Inserts the variables of a pipeline, whose values are encrypted. */
async function insertPipelineVariables(
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
async function insertJobs(
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
async function findOrCreateResourceGroups(
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
