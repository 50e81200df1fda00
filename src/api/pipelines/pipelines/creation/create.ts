import type { KeyObject } from 'node:crypto';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import type { PipelineVariableInput, StoredPlan } from '#api/pipelines/ci-file/index.ts';
import { createEnvironmentsForJobs, recordOutcome, startPipeline } from '#api/pipelines/processing/index.ts';
import type { PipelineStatus } from '#database/schema.ts';
import { allocateIid } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { encrypt } from '#security/encryption.ts';
import {
  findOrCreateResourceGroups,
  findPipelineByOrigin,
  insertJobs,
  insertPipeline,
  insertPipelineVariables,
} from './insert.ts';
import type { PipelineRequest } from './prepare.ts';

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
  await startPipeline(uow, { id, project_id: project.id });
  return id;
}

function encryptVariable(variable: PipelineVariableInput, key: KeyObject): PipelineVariableInput {
  return { ...variable, value: encrypt(key, variable.value, ENCRYPTED_COLUMNS.pipelineVariable.buildContext({})) };
}
