import type { Runner } from '#authorization/runners.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { type CiVariable, expandReferences, toPublicValues } from '../ci-file/index.ts';
import { toSlug } from '../pipelines/index.ts';
import type { RunnableJob } from './store.ts';

/** A variable in the form that runners receive. */
export interface RunnerVariable extends CiVariable {
  readonly public: boolean;
  readonly masked: boolean;
}

interface VariableSources {
  readonly baseUrl: string;
  readonly projectPath: string;
  readonly job: RunnableJob;
  readonly token: string;
  readonly startedAt: string;
  readonly repositoryUrl: string;
  readonly runner: Runner;
  readonly tags: readonly string[];
  /** Predefined variables of server, project, commit and ref. */
  readonly predefinedVariables: readonly CiVariable[];
  /** Stored variables of instance, groups and project. */
  readonly storedVariables: readonly CiVariable[];
  readonly pipelineVariables: readonly CiVariable[];
  readonly jobVariables: readonly CiVariable[];
  readonly mergeRequests: readonly string[];
  /** Null: the job has no environment. */
  readonly environment: EnvironmentRow | null;
}

const toPublic = ({ key, value, raw, file }: CiVariable): RunnerVariable => ({
  key,
  value,
  public: true,
  masked: false,
  ...(raw ? { raw: true } : {}),
  ...(file ? { file: true } : {}),
});
const toPrivate = (variable: CiVariable): RunnerVariable => ({ ...toPublic(variable), public: false });
const toMasked = (variable: CiVariable): RunnerVariable => ({ ...toPrivate(variable), masked: true });
const toStored = (variable: CiVariable): RunnerVariable => ({
  ...toPrivate(variable),
  masked: variable.masked === true,
});

/**
 * Returns all variables of a job in order; later ones win (contract/runners.md §3.3): predefined, from the CI file,
 * stored for instance, groups and project, given with the pipeline, given with the job.
 */
export function buildRunnerVariables(sources: VariableSources): RunnerVariable[] {
  const { job, token, repositoryUrl } = sources;
  return [
    ...sources.predefinedVariables.map(toPublic),
    ...toVariables(buildPipelineVariables(sources)).map(toPublic),
    ...toVariables(buildJobVariables(sources)).map(toPublic),
    toMasked({ key: 'CI_JOB_TOKEN', value: token }),
    toPrivate({ key: 'CI_REPOSITORY_URL', value: repositoryUrl }),
    toPublic({ key: 'CI_REGISTRY_USER', value: 'gitlab-ci-token' }),
    toMasked({ key: 'CI_REGISTRY_PASSWORD', value: token }),
    ...toVariables(buildRunnerInfoVariables(sources)).map(toPublic),
    ...toVariables(buildUserVariables(job)).map(toPublic),
    ...toVariables(buildEnvironmentVariables(sources)).map(toPublic),
    ...(job.options.variables ?? []).map(toPublic),
    ...sources.storedVariables.map(toStored),
    ...sources.pipelineVariables.map(toPrivate),
    ...sources.jobVariables.map(toPrivate),
  ];
}

function toVariables(values: Readonly<Record<string, string | undefined>>): CiVariable[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
}

function buildPipelineVariables({ baseUrl, projectPath, job, mergeRequests }: VariableSources) {
  return {
    CI_PIPELINE_ID: String(job.pipeline_id),
    CI_PIPELINE_IID: String(job.iid),
    CI_PIPELINE_URL: `${baseUrl}/${projectPath}/-/pipelines/${job.pipeline_id}`,
    CI_PIPELINE_CREATED_AT: job.pipeline_created_at,
    CI_OPEN_MERGE_REQUESTS: mergeRequests.length > 0 ? mergeRequests.join(',') : undefined,
  };
}

function buildJobVariables({ baseUrl, projectPath, job, startedAt }: VariableSources) {
  const parallel = job.options.parallel ?? null;
  return {
    CI_JOB_ID: String(job.id),
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: toSlug(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_URL: `${baseUrl}/${projectPath}/-/jobs/${job.id}`,
    CI_JOB_STARTED_AT: startedAt,
    CI_JOB_MANUAL: job.run_when === 'manual' ? 'true' : undefined,
    CI_NODE_TOTAL: String(parallel?.total ?? 1),
    CI_NODE_INDEX: parallel === null ? undefined : String(parallel.index),
  };
}

function buildRunnerInfoVariables({ runner, tags }: VariableSources) {
  return {
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_DESCRIPTION: runner.description ?? '',
    CI_RUNNER_TAGS: JSON.stringify(tags),
  };
}

function buildUserVariables({ user_id, username, user_name, user_email }: RunnableJob) {
  return {
    GITLAB_USER_ID: user_id === null ? undefined : String(user_id),
    GITLAB_USER_LOGIN: username ?? undefined,
    GITLAB_USER_NAME: user_name ?? undefined,
    GITLAB_USER_EMAIL: user_email ?? undefined,
  };
}

function buildEnvironmentVariables({ job: { options }, environment }: VariableSources) {
  if (environment === null) return {};
  const jobEnvironment = options.environment ?? null;
  return {
    CI_ENVIRONMENT_NAME: environment.name,
    CI_ENVIRONMENT_SLUG: environment.slug,
    CI_ENVIRONMENT_ACTION: jobEnvironment?.action ?? 'start',
    CI_ENVIRONMENT_TIER: jobEnvironment?.deployment_tier ?? environment.tier,
    CI_ENVIRONMENT_URL: jobEnvironment?.url ?? environment.external_url ?? undefined,
    CI_ENVIRONMENT_ID: String(environment.id),
  };
}

/** Returns the expanded environment URL of a job; references to secret variables stay as written. */
export function expandEnvironmentUrl({ options }: RunnableJob, variables: readonly RunnerVariable[]): string | null {
  const url = options.environment?.url ?? null;
  if (url === null) return null;
  const values = toPublicValues(variables);
  return expandReferences(url, (key) => values.get(key));
}
