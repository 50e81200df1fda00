import type { KeyObject } from 'node:crypto';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { PipelineVariable, Plan } from '#api/pipelines/ci-file/index.ts';
import { beginPipeline, noteOutcome, PIPELINE_VARIABLE, wantEnvironments } from '#api/pipelines/processing/index.ts';
import type { PipelineStatus } from '#database/tables/pipelines.ts';
import { nextIid } from '#domain/iids.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { encrypt } from '#security/encryption.ts';
import { insertJobs, insertPipeline, insertVariables, madeOf, resourceGroups } from './insert.ts';
import type { Wanted } from './prepare.ts';

/** What is told of a pipeline without jobs. */
type Jobless = { readonly status: PipelineStatus; readonly yamlErrors?: string };

interface Made {
  /** Null: there may be any number of the same. */
  readonly origin: string | null;
  /** Encrypts the values of its variables. */
  readonly key: KeyObject;
}

/** A pipeline that has failed in the place of one whose CI file is broken. */
export function orBroken<Code extends string>(
  plan: Plan | Failure<Code | 'invalid'>,
): Plan | Jobless | Failure<Exclude<Code, 'invalid'>> {
  if (!isFailure(plan)) return plan;
  if (plan.code === 'invalid') return { status: 'failed', yamlErrors: String(plan.values.text) };
  return plan as Failure<Exclude<Code, 'invalid'>>;
}

/**
 * Makes the pipeline with its variables and jobs and sets it going, or stores one that never runs. Its id; null when the one
 * of this origin is there already.
 */
export async function createPipeline(
  uow: UnitOfWork,
  wanted: Wanted,
  content: Plan | Jobless,
  { origin, key }: Made,
): Promise<number | null> {
  const { project, user } = wanted;
  if (origin !== null && (await madeOf(uow, project.id, origin)) !== null) return null;
  const status = 'status' in content ? content.status : 'created';
  const failed = status === 'failed';
  const row = {
    project_id: project.id,
    iid: await nextIid(uow, { projectId: project.id }, 'pipeline'),
    ref: wanted.ref,
    tag: wanted.tag,
    sha: wanted.sha,
    before_sha: wanted.before_sha,
    source: wanted.source,
    origin,
    status,
    protected: wanted.protected,
    user_id: user.id,
    trigger_id: wanted.trigger_id ?? null,
    schedule_id: wanted.schedule_id ?? null,
    yaml_errors: 'status' in content ? (content.yamlErrors ?? null) : null,
    failure_reason: failed ? 'config_error' : null,
    name: 'status' in content ? null : content.name,
    started_at: null,
    finished_at: failed ? uow.now : null,
    created_at: uow.now,
    updated_at: uow.now,
  };
  const id = await insertPipeline(uow, row);
  await insertVariables(
    uow,
    id,
    wanted.variables.map((variable) => sealed(variable, key)),
  );
  if ('status' in content) {
    await noteOutcome(uow, id, status);
    return id;
  }
  const keys = content.jobs.flatMap(({ resourceGroup }) => (resourceGroup === null ? [] : [resourceGroup]));
  const mode = storedAttributes(project).resource_group_default_process_mode;
  const groups = await resourceGroups(uow, project.id, keys, mode);
  const jobs = await insertJobs(uow, { ...row, id }, content.jobs, groups);
  await wantEnvironments(uow, { project_id: project.id, pipeline_id: id }, jobs);
  await beginPipeline(uow, { id, project_id: project.id });
  return id;
}

function sealed(variable: PipelineVariable, key: KeyObject): PipelineVariable {
  return { ...variable, value: encrypt(key, variable.value, PIPELINE_VARIABLE) };
}
