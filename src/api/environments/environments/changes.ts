import { playJob } from '#api/pipelines/processing/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { deleteBatch } from '#database/batch-statements.ts';
import type { Columns } from '#database/database.ts';
import type { EnvironmentTier } from '#database/schema.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { BATCH_SIZE, type MORE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import {
  type EnvironmentPatch,
  findUniquenessErrors,
  guessTier,
  insertEnvironment,
  setEnvironmentState,
  updateEnvironmentRow,
  validateEnvironmentName,
  validateExternalUrl,
} from '../environment-model/index.ts';
import { findStopActions, mayJobUserPlay, type StopActions } from './access.ts';
import { deleteStoppedRow } from './store.ts';

/** Creates an environment. If concurrent requests have the same name, one of them succeeds. */
export async function createEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, ...input }: EnvironmentInput & { readonly name: string },
): Promise<EnvironmentRow | Failure<'agentUnsupported' | 'fieldsInvalid'>> {
  if (input.cluster_agent_id != null) return fail('agentUnsupported');
  const nameErrors = validateEnvironmentName(name);
  const errors = compactFieldErrors({ name: nameErrors, ...validateEnvironment(input) });
  if (errors === null) {
    const environment = await insertEnvironment(uow, project, name, input);
    return isFailure(environment) ? toFailure(await findUniquenessErrors(uow, project.id, name)) : environment;
  }
  // Uniqueness errors are added only for a valid name.
  return toFailure(
    nameErrors.length > 0 ? errors : { ...(await findUniquenessErrors(uow, project.id, name)), ...errors },
  );
}

const toFailure = (errors: FieldErrors): Failure<'fieldsInvalid'> =>
  fail('fieldsInvalid', { texts: toSentences(errors) });

/** An environment exported from another server. */
interface ImportedEnvironment extends Columns<'environments', 'name' | 'external_url' | 'state'> {
  readonly tier: EnvironmentTier | null;
}

/**
 * Creates an environment from another server, without deployments (contract/operations.md §1.4). A stopping environment is
 * imported as stopped, because no stop job runs here.
 */
export async function importEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, state, ...input }: ImportedEnvironment,
): Promise<EnvironmentRow | Failure<'invalid'>> {
  const errors = compactFieldErrors({ name: validateEnvironmentName(name), ...validateEnvironment(input) });
  if (errors !== null) return invalid(errors);
  const environment = await insertEnvironment(uow, project, name, input, state === 'stopping' ? 'stopped' : state);
  return isFailure(environment) ? invalid(await findUniquenessErrors(uow, project.id, name)) : environment;
}

/** Updates the attributes of an environment that the input contains. Name and slug cannot change. */
export async function updateEnvironment(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentRow,
  input: EnvironmentInput,
): Promise<EnvironmentRow | Failure<'agentUnsupported' | 'invalid' | 'notFound'>> {
  if (input.cluster_agent_id != null) return fail('agentUnsupported');
  const errors = compactFieldErrors(validateEnvironment(input));
  if (errors !== null) return invalid(errors);
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  return updateEnvironmentRow(uow, environment, toPatch(environment, input));
}

/** Returns the columns to change. Null clears the URL or the description, and resets the tier to the guess by name. */
function toPatch({ name }: EnvironmentRow, input: EnvironmentInput): EnvironmentPatch {
  const { external_url, tier, description, auto_stop_setting } = input;
  return {
    ...(external_url === undefined ? {} : { external_url: external_url || null }),
    ...(tier === undefined ? {} : { tier: tier ?? guessTier(name) }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(auto_stop_setting == null ? {} : { auto_stop_setting }),
  };
}

type EnvironmentKey = Pick<EnvironmentRow, 'id' | 'project_id'>;

/**
 * Deletes the deployments of a stopped environment in batches, then the environment. Their jobs remain. The environment remains
 * if a deployment makes it available meanwhile.
 */
export async function deleteEnvironment(
  runUnitOfWork: RunUnitOfWork,
  caller: Caller,
  environment: EnvironmentKey,
): Promise<undefined | Failure<'notFound' | 'notStopped'>> {
  return runInBatches(runUnitOfWork, caller, {
    recheck: (uow) => findStopped(uow, environment),
    runBatch: (uow) => deleteEnvironmentBatch(uow, environment.id),
  });
}

async function findStopped(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentKey,
): Promise<EnvironmentRow | Failure<'notFound' | 'notStopped'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  return environment.state === 'stopped' ? environment : fail('notStopped');
}

/** Deletes a batch of deployments, then the environment. Returns `MORE` if deployments remain. index: deployments_by_environment */
async function deleteEnvironmentBatch(uow: UnitOfWork, id: number): Promise<typeof MORE | undefined> {
  const deployments = { table: 'deployments', column: 'environment_id' };
  const more = await runBatchSteps(() => deleteBatch(uow, deployments, id, BATCH_SIZE));
  if (more === undefined) await deleteStoppedRow(uow, id);
  return more;
}

// Validation of environments. Pure.

type EnvironmentInput = NullablePartial<
  Columns<'environments', 'external_url' | 'tier' | 'description' | 'auto_stop_setting'> & {
    cluster_agent_id: number;
    kubernetes_namespace: string;
    flux_resource_path: string;
  }
>;

const MAX_DESCRIPTION_LENGTH = 10_000;

/** Returns the validation errors by field, except for name and slug. Cluster agents are not supported, so their fields are rejected. */
function validateEnvironment({
  external_url,
  description,
  kubernetes_namespace,
  flux_resource_path,
}: EnvironmentInput): FieldErrors {
  const isTooLong = [...(description ?? '')].length > MAX_DESCRIPTION_LENGTH;
  return {
    external_url: external_url ? validateExternalUrl(external_url) : [],
    description: isTooLong ? [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`] : [],
    kubernetes_namespace: kubernetes_namespace ? ['cannot be set without a cluster agent'] : [],
    flux_resource_path:
      flux_resource_path && !kubernetes_namespace ? ['cannot be set without a kubernetes namespace'] : [],
  };
}

/** Formats field errors as sentences: `Name can't be blank`. */
function toSentences(errors: FieldErrors): string[] {
  return Object.entries(errors).flatMap(([field, messages]) => {
    const fieldWords = field.replaceAll('_', ' ');
    const subject = `${fieldWords.charAt(0).toUpperCase()}${fieldWords.slice(1)}`;
    return messages.map((message) => `${subject} ${message}`);
  });
}

/**
 * Stops an environment immediately, or by playing its stop jobs, each on behalf of the job's user (contract/environments.md
 * "stop"). `force` skips the jobs. A stopping or stopped environment is returned unchanged. Failures: `hasNoStopAction` if
 * only a stop job may stop it and there is none, `forbidden` if a job's user may not play it. The caller must have checked
 * the rights and hold the locks (`environmentLockKeys`), and must roll back on a failure.
 */
export async function stopEnvironment(
  uow: UnitOfWork,
  { id, project_id }: EnvironmentKey,
  { force }: { readonly force: boolean },
): Promise<EnvironmentRow | Failure<'notFound' | 'hasNoStopAction' | 'forbidden'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  if (force) return (await setEnvironmentState(uow, id, 'stopped')) ?? environment;
  if (environment.state !== 'available') return environment;
  const actions = await findStopActions(uow, environment);
  if (actions !== null) return playStopActions(uow, environment, actions);
  if (environment.auto_stop_setting === 'with_action') return fail('hasNoStopAction');
  return (await setEnvironmentState(uow, id, 'stopped')) ?? environment;
}

/** Plays all stop jobs or none: checks all rights before the first change. */
async function playStopActions(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { pipeline, jobs }: StopActions,
): Promise<EnvironmentRow | Failure<'forbidden'>> {
  for (const job of jobs) {
    if (!(await mayJobUserPlay(uow, uow.tier, job, pipeline, environment))) return fail('forbidden');
  }
  const stoppingEnvironment = await setEnvironmentState(uow, environment.id, 'stopping');
  if (stoppingEnvironment === null) return environment;
  for (const job of jobs) {
    if (isFailure(await playJob(uow, job, [], job.user_id))) return fail('forbidden');
  }
  return stoppingEnvironment;
}
