import { createHmac, type KeyObject } from 'node:crypto';
import type { Runner } from '#authorization/runners.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import {
  type CiVariable,
  expandReferences,
  type JobArtifacts,
  type JobCache,
  type JobImage,
  type JobOptions,
  toPublicValues,
} from '../ci-file/index.ts';
import { FAILURE_REASONS, findArtifactType } from '../jobs/index.ts';
import { toSlug } from '../pipelines/index.ts';
import type { JobDependency, RunnableJob } from './store.ts';

// The payload of a job for its runner (contract/runners.md §3.3); every key is always present.

interface PayloadInput {
  readonly baseUrl: string;
  readonly secretKey: KeyObject;
  readonly project: Project;
  readonly rootNamespaceId: number;
  readonly job: RunnableJob;
  readonly token: string;
  /** Seconds. */
  readonly timeout: number;
  readonly startedAt: string;
  /** `size`: pending jobs including this one; `depth`: jobs that were tried; `onInstanceRunners`: null if not counted. */
  readonly queue: { readonly size: number; readonly depth: number; readonly onInstanceRunners: number | null };
  readonly repositoryUrl: string;
  /** Whether the repository has the pipeline's ref. */
  readonly hasPipelineRef: boolean;
  readonly variables: readonly RunnerVariable[];
  readonly cacheKeys: readonly string[];
  /** Whether the job may use the caches of protected refs. */
  readonly isTrusted: boolean;
  /** Number of commits to fetch; 0: all. */
  readonly gitDepth: number;
  readonly separatedCaches: boolean;
  /** Whether the runner may fetch into an existing clone. */
  readonly allowGitFetch: boolean;
  /** Dependencies, with their archives where available. */
  readonly dependencies: readonly JobDependency[];
}

/** Returns the payload in the format of GitLab Runner. */
export function buildJobPayload(input: PayloadInput): object {
  const { job, token, timeout } = input;
  const { options } = job;
  return {
    id: job.id,
    token,
    allow_git_fetch: input.allowGitFetch,
    job_info: buildJobInfo(input),
    git_info: buildGitInfo(input),
    runner_info: { timeout, runner_session_url: null },
    inputs: [],
    variables: input.variables,
    steps: buildSteps(options, timeout),
    hooks: Object.entries(options.hooks ?? {}).map(([name, script]) => ({ name, script })),
    image: options.image ? buildImage(options.image) : null,
    services: (options.services ?? []).map((service) => ({
      ...buildImage(service),
      alias: service.alias,
      command: service.command,
      variables: service.variables.map(({ key, value, raw }) => ({
        key,
        value,
        public: true,
        masked: false,
        ...(raw ? { raw } : {}),
      })),
    })),
    artifacts: buildArtifacts(options.artifacts ?? null),
    cache: (options.cache ?? []).map((cache, index) => buildCache(cache, input.cacheKeys[index] ?? 'default', input)),
    credentials: [],
    features: { trace_sections: true, failure_reasons: FAILURE_REASONS },
    dependencies: input.dependencies.map(({ id, name, filename, size }) => ({
      id,
      name,
      token,
      ...(filename === null ? {} : { artifacts_file: { filename, size } }),
    })),
  };
}

function buildJobInfo({ job, project, rootNamespaceId, queue, startedAt, secretKey }: PayloadInput) {
  const queuedAt = Date.parse(job.queued_at ?? job.created_at);
  return {
    id: job.id,
    name: job.name,
    stage: job.stage,
    pipeline_id: job.pipeline_id,
    project_id: project.id,
    project_name: project.name,
    project_full_path: project.full_path,
    namespace_id: project.namespace_id,
    root_namespace_id: rootNamespaceId,
    // The only organization.
    organization_id: 1,
    instance_id: deriveInstanceId(secretKey, 'instance_id'),
    instance_uuid: toUuid(deriveInstanceId(secretKey, 'instance_uuid')),
    user_id: job.user_id,
    scoped_user_id: null,
    time_in_queue_seconds: Math.max(0, Math.round((Date.parse(startedAt) - queuedAt) / 1000)),
    // `+Inf` for runners of groups and projects, as in GitLab.
    project_jobs_running_on_instance_runners_count:
      queue.onInstanceRunners === null ? '+Inf' : String(queue.onInstanceRunners),
    queue_size: queue.size,
    queue_depth: queue.depth,
  };
}

/** Derives an id by which runners distinguish servers. All processes with the same key derive the same id. */
function deriveInstanceId(secretKey: KeyObject, name: string): string {
  return createHmac('sha256', secretKey).update(name).digest('hex');
}

/** Formats a digest as a UUID of version 4. */
function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function buildGitInfo({ job, gitDepth: depth, repositoryUrl, hasPipelineRef: hasRef }: PayloadInput) {
  return {
    repo_url: repositoryUrl,
    ref: job.ref,
    sha: job.sha,
    before_sha: job.before_sha,
    ref_type: job.tag ? 'tag' : 'branch',
    refspecs: [...(hasRef ? [buildPipelineRefspec(job)] : []), ...buildRefspecs(job, depth)],
    depth,
    repo_object_format: 'sha1',
    protected: job.protected,
  };
}

/** Returns the refspecs; depth 0 fetches everything. */
function buildRefspecs({ ref, tag }: RunnableJob, depth: number): string[] {
  if (depth === 0) return ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return [tag ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`];
}

function buildPipelineRefspec({ pipeline_id }: RunnableJob): string {
  return `+refs/pipelines/${pipeline_id}:refs/pipelines/${pipeline_id}`;
}

function buildSteps({ before_script = [], script = [], after_script = null }: Partial<JobOptions>, timeout: number) {
  const commands = [...before_script, ...script];
  const step = { name: 'script', script: commands, timeout, when: 'on_success', allow_failure: false };
  if (after_script === null) return [step];
  return [step, { name: 'after_script', script: after_script, timeout, when: 'always', allow_failure: true }];
}

function buildImage({ name, entrypoint, ports, executor_opts, pull_policy }: JobImage) {
  return { name, entrypoint, ports, executor_opts, pull_policy };
}

function buildArtifacts(artifacts: JobArtifacts | null): object[] | null {
  if (artifacts === null) return null;
  const { name, untracked, paths, exclude, when, expire_in, reports } = artifacts;
  const archive = { name, untracked, paths, ...(exclude.length > 0 ? { exclude } : {}), when, expire_in };
  const entries = [
    ...(paths.length > 0 || untracked ? [{ ...archive, artifact_type: 'archive', artifact_format: 'zip' }] : []),
    ...Object.entries(reports).flatMap(([kind, files]) => buildReport(kind, files, expire_in)),
  ];
  return entries.length > 0 ? entries : null;
}

function buildReport(kind: string, paths: readonly string[], expire_in: string | null): object[] {
  const type = findArtifactType(kind);
  if (type === undefined) return [];
  const { filename, format } = type;
  const reportOptions = { when: 'always', expire_in, artifact_type: kind, artifact_format: format };
  return [{ name: filename, untracked: false, paths, ...reportOptions }];
}

function buildCache(cache: JobCache, key: string, { isTrusted, separatedCaches }: PayloadInput) {
  const suffix = separatedCaches ? (isTrusted && !cache.unprotect ? '-protected' : '-non_protected') : '';
  const { untracked, paths, policy, when, fallback_keys } = cache;
  return {
    key: key + suffix,
    untracked,
    paths,
    policy,
    when,
    fallback_keys: fallback_keys.map((fallback) => fallback + suffix),
  };
}

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
