import type { Runner } from '#authorization/runners.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import { type CiVariable, expandText, shownValuesOf } from '../ci-file/index.ts';
import { slugOf } from '../pipelines/index.ts';
import type { Work } from './store.ts';

/** A variable as runners are given it. */
export interface RunnerVariable extends CiVariable {
  readonly public: boolean;
  readonly masked: boolean;
}

interface Given {
  readonly baseUrl: string;
  readonly projectPath: string;
  readonly work: Work;
  readonly token: string;
  readonly startedAt: string;
  readonly repositoryUrl: string;
  readonly runner: Runner;
  readonly tags: readonly string[];
  /** Of server, project, commit and ref. */
  readonly predefined: readonly CiVariable[];
  /** Of instance, groups and project. */
  readonly kept: readonly CiVariable[];
  readonly ofPipeline: readonly CiVariable[];
  readonly ofJob: readonly CiVariable[];
  readonly mergeRequests: readonly string[];
  /** Null: it has none. */
  readonly environment: EnvironmentRow | null;
}

const shown = ({ key, value, raw, file }: CiVariable): RunnerVariable => ({
  key,
  value,
  public: true,
  masked: false,
  ...(raw ? { raw: true } : {}),
  ...(file ? { file: true } : {}),
});
const hidden = (variable: CiVariable): RunnerVariable => ({ ...shown(variable), public: false });
const secret = (variable: CiVariable): RunnerVariable => ({ ...hidden(variable), masked: true });
const kept = (variable: CiVariable): RunnerVariable => ({ ...hidden(variable), masked: variable.masked === true });

/**
 * All variables of a job in their order, of which the later wins (contract/runners.md §3.3): what the server says, what the
 * file says, what instance, groups and project keep for jobs, what was given with the pipeline and with the job.
 */
export function variablesOf(given: Given): RunnerVariable[] {
  const { work, token, repositoryUrl } = given;
  return [
    ...given.predefined.map(shown),
    ...entries(ofPipeline(given)).map(shown),
    ...entries(ofJob(given)).map(shown),
    secret({ key: 'CI_JOB_TOKEN', value: token }),
    hidden({ key: 'CI_REPOSITORY_URL', value: repositoryUrl }),
    shown({ key: 'CI_REGISTRY_USER', value: 'gitlab-ci-token' }),
    secret({ key: 'CI_REGISTRY_PASSWORD', value: token }),
    ...entries(ofRunner(given)).map(shown),
    ...entries(ofUser(work)).map(shown),
    ...entries(ofEnvironment(given)).map(shown),
    ...(work.options.variables ?? []).map(shown),
    ...given.kept.map(kept),
    ...given.ofPipeline.map(hidden),
    ...given.ofJob.map(hidden),
  ];
}

function entries(values: Readonly<Record<string, string | undefined>>): CiVariable[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
}

function ofPipeline({ baseUrl, projectPath, work, mergeRequests }: Given) {
  return {
    CI_PIPELINE_ID: String(work.pipeline_id),
    CI_PIPELINE_IID: String(work.iid),
    CI_PIPELINE_URL: `${baseUrl}/${projectPath}/-/pipelines/${work.pipeline_id}`,
    CI_PIPELINE_CREATED_AT: work.pipeline_created_at,
    CI_OPEN_MERGE_REQUESTS: mergeRequests.length > 0 ? mergeRequests.join(',') : undefined,
  };
}

function ofJob({ baseUrl, projectPath, work, startedAt }: Given) {
  const parallel = work.options.parallel ?? null;
  return {
    CI_JOB_ID: String(work.id),
    CI_JOB_NAME: work.name,
    CI_JOB_NAME_SLUG: slugOf(work.name),
    CI_JOB_STAGE: work.stage,
    CI_JOB_URL: `${baseUrl}/${projectPath}/-/jobs/${work.id}`,
    CI_JOB_STARTED_AT: startedAt,
    CI_JOB_MANUAL: work.run_when === 'manual' ? 'true' : undefined,
    CI_NODE_TOTAL: String(parallel?.total ?? 1),
    CI_NODE_INDEX: parallel === null ? undefined : String(parallel.index),
  };
}

function ofRunner({ runner, tags }: Given) {
  return {
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_DESCRIPTION: runner.description ?? '',
    CI_RUNNER_TAGS: JSON.stringify(tags),
  };
}

function ofUser({ user_id, username, user_name, user_email }: Work) {
  return {
    GITLAB_USER_ID: user_id === null ? undefined : String(user_id),
    GITLAB_USER_LOGIN: username ?? undefined,
    GITLAB_USER_NAME: user_name ?? undefined,
    GITLAB_USER_EMAIL: user_email ?? undefined,
  };
}

function ofEnvironment({ work: { options }, environment }: Given) {
  if (environment === null) return {};
  const said = options.environment ?? null;
  return {
    CI_ENVIRONMENT_NAME: environment.name,
    CI_ENVIRONMENT_SLUG: environment.slug,
    CI_ENVIRONMENT_ACTION: said?.action ?? 'start',
    CI_ENVIRONMENT_TIER: said?.deployment_tier ?? environment.tier,
    CI_ENVIRONMENT_URL: said?.url ?? environment.external_url ?? undefined,
    CI_ENVIRONMENT_ID: String(environment.id),
  };
}

/** Where what a job deploys is reached, as its file says: its variables in their places, but for what is nobody's to read. */
export function environmentUrlOf({ options }: Work, variables: readonly RunnerVariable[]): string | null {
  const url = options.environment?.url ?? null;
  if (url === null) return null;
  const values = shownValuesOf(variables);
  return expandText(url, (key) => values.get(key));
}
