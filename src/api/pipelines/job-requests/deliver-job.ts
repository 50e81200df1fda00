import { createHash } from 'node:crypto';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { findEnvironmentByName } from '#domain/environments.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findLastCommit } from '#git/trees/path-entries.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { decrypt } from '#security/encryption.ts';
import { expandVariables, type JobCache } from '../ci-file/index.ts';
import type { FailureReason } from '../jobs/index.ts';
import { buildPredefinedVariables, pipelineVariables } from '../pipelines/index.ts';
import { changeJobStatus, JOB_VARIABLE, jobsLockKey, PIPELINE_VARIABLE } from '../processing/index.ts';
import { listRunnerTags } from '../runners/index.ts';
import { variablesForJob } from '../variables/index.ts';
import { countPendingJobs, countRunningOnInstanceRunners } from './choose-job.ts';
import type { RequestingRunner, RunnerJob } from './claim-job.ts';
import { buildJobPayload } from './payload.ts';
import { createPipelineRef } from './pipeline-ref.ts';
import { getRootNamespaceId, listJobVariables, listOpenMergeRequestReferences, type RunnableJob } from './store.ts';
import { buildRunnerVariables, expandEnvironmentUrl } from './variables.ts';

/**
 * Builds the payload of a claimed job; `baseUrl` has no trailing slash. The job is running by now: if the payload cannot be
 * built, the job fails at once instead of waiting for its timeout.
 */
export async function buildPayloadOrFailJob(
  services: Services,
  requester: RequestingRunner,
  claimed: RunnerJob,
  baseUrl: string,
): Promise<object | Failure<'failed'>> {
  try {
    return await buildPayload(services, requester, claimed, baseUrl);
  } catch (error) {
    const { id, project_id } = claimed.job;
    services.log.error({ err: error, job: id }, 'A job could not be handed out');
    const reason = { failure_reason: 'scheduler_failure' satisfies FailureReason };
    const lock = jobsLockKey(project_id);
    await services.runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, id, ['running'], 'failed', reason), {
      lock,
      exemptFromLimit: true,
    });
    return fail('failed');
  }
}

async function buildPayload(
  services: Services,
  { runner }: RequestingRunner,
  claimed: RunnerJob,
  baseUrl: string,
): Promise<object> {
  const { job: work, token, timeout, startedAt } = claimed;
  const db = services.database.reader;
  const caller = await loadCaller(db, work.user_id, null);
  const project = await findProject(db, caller, String(work.project_id));
  if (project === null) throw new Error(`The project ${work.project_id} of a job that runs is not there`);
  const hasRef = await createPipelineRef(services, project, work);
  const repositoryUrl = buildRepositoryUrl(baseUrl, project, token);
  const onInstance =
    runner.runner_type === 'instance_type' ? await countRunningOnInstanceRunners(db, project.id) : null;
  const all = buildRunnerVariables({
    ...(await loadVariableSources(services, work, project, baseUrl)),
    baseUrl,
    projectPath: project.full_path,
    work,
    token,
    startedAt,
    repositoryUrl,
    runner,
    tags: await listRunnerTags(db, runner.id),
  });
  await storeEnvironmentUrl(services, work, expandEnvironmentUrl(work, all));
  const attributes = storedAttributes(project);
  const variables = expandVariables(all);
  return buildJobPayload({
    baseUrl,
    secretKey: await services.secretKey(),
    project,
    rootNamespaceId: await getRootNamespaceId(db, project.namespace_id),
    work,
    token,
    timeout,
    startedAt,
    queue: { size: 1 + (await countPendingJobs(db, runner)), depth: claimed.depth, onInstanceRunners: onInstance },
    repositoryUrl,
    hasRef,
    variables,
    cacheKeys: await Promise.all(
      (work.options.cache ?? []).map((cache) => resolveCacheKey(services.git, project, work.sha, cache)),
    ),
    isTrusted: work.protected || (canSeeProject(caller, project) && getProjectRole(caller, project) >= MAINTAINER),
    depth: getGitDepth(variables, attributes.ci_default_git_depth),
    separatedCaches: attributes.ci_separated_caches,
    mayFetch: attributes.build_git_strategy === 'fetch',
    dependencies: claimed.dependencies,
  });
}

/** Stores the URL that the environment gets when the job succeeds. index: jobs primary key */
async function storeEnvironmentUrl({ database }: Services, { id }: RunnableJob, url: string | null): Promise<void> {
  if (url === null) return;
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ environment_url: url }).where('id', '=', id).execute(),
  );
}

/** Returns the repository URL with the job's credentials. */
function buildRepositoryUrl(baseUrl: string, project: Project, token: string): string {
  const url = new URL(`${baseUrl}/${project.full_path}.git`);
  url.username = 'gitlab-ci-token';
  url.password = token;
  return url.href;
}

async function loadVariableSources(services: Services, work: RunnableJob, project: Project, baseUrl: string) {
  const db = services.database.reader;
  const key = await services.secretKey();
  const commit = await readCommit(services.git, getRepository(services.git, project), work.sha);
  const ofPipeline = (await pipelineVariables(db, work.pipeline_id)).map(({ variable_type, raw, ...variable }) => ({
    key: variable.key,
    value: decrypt(key, variable.value, PIPELINE_VARIABLE),
    raw: Boolean(raw),
    file: variable_type === 'file',
  }));
  const ofJob = (await listJobVariables(db, work.id)).map((variable) => ({
    key: variable.key,
    value: decrypt(key, variable.value, JOB_VARIABLE),
  }));
  const kept = await variablesForJob(services, project, {
    protected: Boolean(work.protected),
    environment: work.environment,
  });
  if (kept === null) throw new Error('The CI/CD variables are too large');
  return {
    predefined: commit === null ? [] : buildPredefinedVariables(baseUrl, project, work, commit),
    stored: kept,
    ofPipeline,
    ofJob,
    environment: work.environment === null ? null : await findEnvironmentByName(db, project.id, work.environment),
    mergeRequests: work.tag ? [] : await listOpenMergeRequestReferences(db, project.id, work.ref),
  };
}

/** Returns the depth of the job's variable, or the project's default. */
function getGitDepth(
  variables: readonly { readonly key: string; readonly value: string }[],
  byDefault: number,
): number {
  const said = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value ?? '';
  return /^\d{1,9}$/.test(said) ? Number(said) : byDefault;
}

/** Resolves a cache key. A key made of files changes with the last commits that changed these files. */
async function resolveCacheKey(git: Git, project: Project, sha: string, { key }: JobCache): Promise<string> {
  if (typeof key === 'string') return key;
  const repository = getRepository(git, project);
  const commits = await Promise.all(key.files.map((path) => findLastCommit(git, repository, sha, path)));
  const found = commits.filter((id) => id !== null);
  const digest = found.length > 0 ? createHash('sha1').update(found.join('-')).digest('hex') : 'default';
  return key.prefix ? `${key.prefix}-${digest}` : digest;
}
