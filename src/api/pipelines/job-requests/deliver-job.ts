import { createHash } from 'node:crypto';
import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { callerOf } from '#authentication/users/users.ts';
import { environmentNamed } from '#domain/environments.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { lastCommitFor } from '#git/trees/path-entries.ts';
import type { Services } from '#http/services.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { decrypt } from '#security/encryption.ts';
import { type Cache, expandVariables } from '../ci-file/index.ts';
import type { FailureReason } from '../jobs/index.ts';
import { pipelineVariables, predefinedVariables } from '../pipelines/index.ts';
import { changeJob, JOB_VARIABLE, jobsTurn, PIPELINE_VARIABLE } from '../processing/index.ts';
import { tagsOf } from '../runners/index.ts';
import { variablesForJob } from '../variables/index.ts';
import { countOnInstanceRunners, countWaiting } from './choose-job.ts';
import type { Asking, Taken } from './claim-job.ts';
import { payloadOf } from './payload.ts';
import { keepPipelineRef } from './pipeline-ref.ts';
import { jobVariables, openMergeRequestsFrom, rootOf, type Work } from './store.ts';
import { environmentUrlOf, variablesOf } from './variables.ts';

/**
 * Everything that a runner has to know of the job that it has taken; `baseUrl` without a slash at its end. The job is running
 * by now, and nobody else gets it: one of which that can't be said has failed, and does not wait for its time to be over.
 */
export async function toldOrFailed(
  services: Services,
  asking: Asking,
  taken: Taken,
  baseUrl: string,
): Promise<object | Failure<'failed'>> {
  try {
    return await handOut(services, asking, taken, baseUrl);
  } catch (error) {
    const { id, project_id } = taken.work;
    services.log.error({ err: error, job: id }, 'A job could not be handed out');
    const reason = { failure_reason: 'scheduler_failure' satisfies FailureReason };
    const turn = jobsTurn(project_id);
    await services.runUnitOfWork(ANONYMOUS, (uow) => changeJob(uow, id, ['running'], 'failed', reason), {
      turn,
      owed: true,
    });
    return fail('failed');
  }
}

async function handOut(services: Services, { runner }: Asking, taken: Taken, baseUrl: string): Promise<object> {
  const { work, token, timeout, startedAt } = taken;
  const db = services.database.reader;
  const caller = await callerOf(db, work.user_id, null);
  const project = await findProject(db, caller, String(work.project_id));
  if (project === null) throw new Error(`The project ${work.project_id} of a job that runs is not there`);
  const hasRef = await keepPipelineRef(services, project, work);
  const repositoryUrl = urlOf(baseUrl, project, token);
  const onInstance = runner.runner_type === 'instance_type' ? await countOnInstanceRunners(db, project.id) : null;
  const all = variablesOf({
    ...(await variablesAround(services, work, project, baseUrl)),
    baseUrl,
    projectPath: project.full_path,
    work,
    token,
    startedAt,
    repositoryUrl,
    runner,
    tags: await tagsOf(db, runner.id),
  });
  await keepEnvironmentUrl(services, work, environmentUrlOf(work, all));
  const attributes = storedAttributes(project);
  const variables = expandVariables(all);
  return payloadOf({
    baseUrl,
    secretKey: await services.secretKey(),
    project,
    rootNamespaceId: await rootOf(db, project.namespace_id),
    work,
    token,
    timeout,
    startedAt,
    queue: { size: 1 + (await countWaiting(db, runner)), depth: taken.depth, onInstanceRunners: onInstance },
    repositoryUrl,
    hasRef,
    variables,
    cacheKeys: await Promise.all(
      (work.options.cache ?? []).map((cache) => keyOf(services.git, project, work.sha, cache)),
    ),
    isTrusted: work.protected || (canSeeProject(caller, project) && roleIn(caller, project) >= MAINTAINER),
    depth: depthOf(variables, attributes.ci_default_git_depth),
    separatedCaches: attributes.ci_separated_caches,
    mayFetch: attributes.build_git_strategy === 'fetch',
    dependencies: taken.dependencies,
  });
}

/** What the job's success will say of its environment. index: jobs primary key */
async function keepEnvironmentUrl({ database }: Services, { id }: Work, url: string | null): Promise<void> {
  if (url === null) return;
  await database.transaction((tx) =>
    tx.updateTable('jobs').set({ environment_url: url }).where('id', '=', id).execute(),
  );
}

/** The repository's address, with which a job fetches as itself. */
function urlOf(baseUrl: string, project: Project, token: string): string {
  const url = new URL(`${baseUrl}/${project.full_path}.git`);
  url.username = 'gitlab-ci-token';
  url.password = token;
  return url.href;
}

async function variablesAround(services: Services, work: Work, project: Project, baseUrl: string) {
  const db = services.database.reader;
  const key = await services.secretKey();
  const commit = await readCommit(services.git, repositoryOf(services.git, project), work.sha);
  const ofPipeline = (await pipelineVariables(db, work.pipeline_id)).map(({ variable_type, raw, ...variable }) => ({
    key: variable.key,
    value: decrypt(key, variable.value, PIPELINE_VARIABLE),
    raw: Boolean(raw),
    file: variable_type === 'file',
  }));
  const ofJob = (await jobVariables(db, work.id)).map((variable) => ({
    key: variable.key,
    value: decrypt(key, variable.value, JOB_VARIABLE),
  }));
  const kept = await variablesForJob(services, project, {
    protected: Boolean(work.protected),
    environment: work.environment,
  });
  if (kept === null) throw new Error('The CI/CD variables are too large');
  return {
    predefined: commit === null ? [] : predefinedVariables(baseUrl, project, work, commit),
    kept,
    ofPipeline,
    ofJob,
    environment: work.environment === null ? null : await environmentNamed(db, project.id, work.environment),
    mergeRequests: work.tag ? [] : await openMergeRequestsFrom(db, project.id, work.ref),
  };
}

/** What the job itself says, or else the project. */
function depthOf(variables: readonly { readonly key: string; readonly value: string }[], byDefault: number): number {
  const said = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value ?? '';
  return /^\d{1,9}$/.test(said) ? Number(said) : byDefault;
}

/** A key that is made of files changes with the last commits that have changed these. */
async function keyOf(git: Git, project: Project, sha: string, { key }: Cache): Promise<string> {
  if (typeof key === 'string') return key;
  const repository = repositoryOf(git, project);
  const commits = await Promise.all(key.files.map((path) => lastCommitFor(git, repository, sha, path)));
  const found = commits.filter((id) => id !== null);
  const digest = found.length > 0 ? createHash('sha1').update(found.join('-')).digest('hex') : 'default';
  return key.prefix ? `${key.prefix}-${digest}` : digest;
}
