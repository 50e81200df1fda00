import { createHmac, type KeyObject } from 'node:crypto';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Artifacts, Cache, Image, JobOptions } from '../ci-file/index.ts';
import { artifactType, FAILURE_REASONS } from '../jobs/index.ts';
import type { Dependency, Work } from './store.ts';
import type { RunnerVariable } from './variables.ts';

/** What a runner is given of a job (contract/runners.md §3.3), every key always present. */

export interface Handed {
  readonly baseUrl: string;
  readonly secretKey: KeyObject;
  readonly project: Project;
  readonly rootNamespaceId: number;
  readonly work: Work;
  readonly token: string;
  readonly timeout: number;
  readonly startedAt: string;
  readonly queue: { readonly size: number; readonly depth: number; readonly onInstanceRunners: number | null };
  readonly repositoryUrl: string;
  /** The repository has a ref of the pipeline. */
  readonly hasRef: boolean;
  readonly variables: readonly RunnerVariable[];
  readonly cacheKeys: readonly string[];
  readonly isTrusted: boolean;
  readonly depth: number;
  readonly separatedCaches: boolean;
  /** What an earlier job has cloned is brought up to date, and not cloned again. */
  readonly mayFetch: boolean;
  /** With their archives, so far as these can be had. */
  readonly dependencies: readonly Dependency[];
}

export function payloadOf(handed: Handed): object {
  const { work, token, timeout } = handed;
  const { options } = work;
  return {
    id: work.id,
    token,
    allow_git_fetch: handed.mayFetch,
    job_info: jobInfo(handed),
    git_info: gitInfo(handed),
    runner_info: { timeout, runner_session_url: null },
    inputs: [],
    variables: handed.variables,
    steps: stepsOf(options, timeout),
    hooks: Object.entries(options.hooks ?? {}).map(([name, script]) => ({ name, script })),
    image: options.image ? imageOf(options.image) : null,
    services: (options.services ?? []).map((service) => ({
      ...imageOf(service),
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
    artifacts: artifactsOf(options.artifacts ?? null),
    cache: (options.cache ?? []).map((cache, index) => cacheOf(cache, handed.cacheKeys[index] ?? 'default', handed)),
    credentials: [],
    features: { trace_sections: true, failure_reasons: FAILURE_REASONS },
    dependencies: handed.dependencies.map(({ id, name, filename, size }) => ({
      id,
      name,
      token,
      ...(filename === null ? {} : { artifacts_file: { filename, size } }),
    })),
  };
}

function jobInfo({ work, project, rootNamespaceId, queue, startedAt, secretKey }: Handed) {
  const queued = Date.parse(work.queued_at ?? work.created_at);
  return {
    id: work.id,
    name: work.name,
    stage: work.stage,
    project_id: project.id,
    project_name: project.name,
    project_full_path: project.full_path,
    namespace_id: project.namespace_id,
    root_namespace_id: rootNamespaceId,
    organization_id: 1,
    instance_id: idOfInstance(secretKey, 'instance_id'),
    instance_uuid: uuidOf(idOfInstance(secretKey, 'instance_uuid')),
    user_id: work.user_id,
    scoped_user_id: null,
    time_in_queue_seconds: Math.max(0, Math.round((Date.parse(startedAt) - queued) / 1000)),
    project_jobs_running_on_instance_runners_count:
      queue.onInstanceRunners === null ? '+Inf' : String(queue.onInstanceRunners),
    queue_size: queue.size,
    queue_depth: queue.depth,
  };
}

/** By these runners tell servers from one another: the same for all processes of one, and for as long as its key. */
function idOfInstance(secretKey: KeyObject, name: string): string {
  return createHmac('sha256', secretKey).update(name).digest('hex');
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function gitInfo({ work, depth, repositoryUrl, hasRef }: Handed) {
  return {
    repo_url: repositoryUrl,
    ref: work.ref,
    sha: work.sha,
    before_sha: work.before_sha,
    ref_type: work.tag ? 'tag' : 'branch',
    refspecs: [...(hasRef ? [ownRefspec(work)] : []), ...refspecsOf(work, depth)],
    depth,
    repo_object_format: 'sha1',
    protected: work.protected,
  };
}

/** With a depth of 0 a runner fetches everything. */
function refspecsOf({ ref, tag }: Work, depth: number): string[] {
  if (depth === 0) return ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  return [tag ? `+refs/tags/${ref}:refs/tags/${ref}` : `+refs/heads/${ref}:refs/remotes/origin/${ref}`];
}

function ownRefspec({ pipeline_id }: Work): string {
  return `+refs/pipelines/${pipeline_id}:refs/pipelines/${pipeline_id}`;
}

function stepsOf({ before_script = [], script = [], after_script = null }: Partial<JobOptions>, timeout: number) {
  const main = [...before_script, ...script];
  const step = { name: 'script', script: main, timeout, when: 'on_success', allow_failure: false };
  if (after_script === null) return [step];
  return [step, { name: 'after_script', script: after_script, timeout, when: 'always', allow_failure: true }];
}

function imageOf({ name, entrypoint, ports, executor_opts, pull_policy }: Image) {
  return { name, entrypoint, ports, executor_opts, pull_policy };
}

function artifactsOf(artifacts: Artifacts | null): object[] | null {
  if (artifacts === null) return null;
  const { name, untracked, paths, exclude, when, expire_in, reports } = artifacts;
  const archive = { name, untracked, paths, ...(exclude.length > 0 ? { exclude } : {}), when, expire_in };
  const all = [
    ...(paths.length > 0 || untracked ? [{ ...archive, artifact_type: 'archive', artifact_format: 'zip' }] : []),
    ...Object.entries(reports).flatMap(([kind, files]) => reportOf(kind, files, expire_in)),
  ];
  return all.length > 0 ? all : null;
}

function reportOf(kind: string, paths: readonly string[], expire_in: string | null): object[] {
  const type = artifactType(kind);
  if (type === undefined) return [];
  const { filename, format } = type;
  const sent = { when: 'always', expire_in, artifact_type: kind, artifact_format: format };
  return [{ name: filename, untracked: false, paths, ...sent }];
}

function cacheOf(cache: Cache, key: string, { isTrusted, separatedCaches }: Handed) {
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
