import {
  type CiVariable,
  type PipelineVariable,
  type Plan,
  planPipeline,
  readCiFile,
} from '#api/pipelines/ci-file/index.ts';
import { variablesForPipeline } from '#api/pipelines/variables/index.ts';
import type { CallerUser } from '#authentication/caller.ts';
import { rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { changedPaths } from '#git/diff/changed-paths.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommit } from '#git/objects/object-reader.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { listTree } from '#git/trees/tree-list.ts';
import type { Services } from '#http/services.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { filesAt } from './config-file.ts';
import { configPath, type PipelineOf, predefinedVariables } from './predefined-variables.ts';

/** Of more paths nobody says whether one has changed, or is there. */
const MOST_PATHS = 10_000;

/** The trigger or schedule that a pipeline is made by. */
export interface Starter extends Pick<PipelineOf, 'trigger_token' | 'schedule_description'> {
  readonly trigger_id?: number;
  readonly schedule_id?: number;
}

export type PrepareServices = Pick<Services, 'git' | 'database' | 'secretKey'>;

/** A pipeline that somebody wants, before it is known what is in it. */
export interface Wanted extends PipelineOf, Starter {
  readonly project: Project;
  readonly user: CallerUser;
  readonly variables: readonly PipelineVariable[];
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/**
 * What the pipeline of a commit consists of, by its CI file. Failure: there is no such commit or file; the file, or what is
 * left of it, is invalid (`text`); its rules want no pipeline; there is nothing to run. `read`: another file than that of the
 * commit.
 */
export async function prepare(
  services: PrepareServices,
  wanted: Wanted,
  read = () => fileOf(services.git, wanted),
): Promise<Plan | Failure<'noFile' | 'invalid' | 'unwanted' | 'empty'>> {
  const { git } = services;
  const repository = repositoryOf(git, wanted.project);
  const commit = await readCommit(git, repository, wanted.sha);
  if (commit === null) return fail('noFile');
  const configuration = await read();
  if (configuration === null) return fail('noFile');
  if ('invalid' in configuration) return fail('invalid', { text: configuration.invalid });
  const hasEnvironments = configuration.jobs.some(({ environment }) => environment !== null);
  const keptFor = await variablesForPipeline(services, wanted.project, {
    protected: wanted.protected,
    hasEnvironments,
  });
  if (keptFor === null) return fail('invalid', { text: TOO_LARGE });
  const { changes, exists } = configuration.asks;
  const plan = await planPipeline(configuration, {
    ref: wanted.ref,
    tag: wanted.tag,
    source: wanted.source,
    projectPath: wanted.project.full_path,
    predefined: [...predefinedVariables(wanted.baseUrl, wanted.project, wanted, commit), ...ofUser(wanted.user)],
    keptFor,
    given: wanted.variables.map(asCiVariable),
    changedPaths: changes ? await pathsChanged(git, repository, wanted) : null,
    files: exists ? await pathsAt(git, repository, commit) : null,
  });
  if (plan === 'refused') return fail('unwanted');
  if (plan === 'empty') return fail('empty');
  return 'invalid' in plan ? fail('invalid', { text: plan.invalid }) : plan;
}

const TOO_LARGE = 'The CI/CD variables are too large';

function fileOf(git: Git, { project, sha }: Wanted) {
  return readCiFile(configPath(project), filesAt(git, repositoryOf(git, project), sha));
}

/** Is the ref one that rules protect? Tags are nobody's. */
export async function isProtected(db: Reader, projectId: number, ref: string, tag: boolean): Promise<boolean> {
  return !tag && rulesFor(await protectionRules(db, projectId), ref).length > 0;
}

function ofUser({ id, username, name }: CallerUser): CiVariable[] {
  return [
    { key: 'GITLAB_USER_ID', value: String(id) },
    { key: 'GITLAB_USER_LOGIN', value: username },
    { key: 'GITLAB_USER_NAME', value: name },
  ];
}

function asCiVariable({ key, value, variable_type, raw }: PipelineVariable): CiVariable {
  return { key, value, raw, file: variable_type === 'file' };
}

/** What a push has changed; null where there is nothing before it to compare with. */
async function pathsChanged(git: Git, repository: Repository, { before_sha, sha }: Wanted): Promise<string[] | null> {
  if (before_sha === zeroId || (await readCommit(git, repository, before_sha)) === null) return null;
  return changedPaths(git, repository, { from: before_sha, to: sha, most: MOST_PATHS });
}

/** All files of the commit; null when they are too many to look at. */
async function pathsAt(git: Git, repository: Repository, { treeId }: Commit): Promise<string[] | null> {
  const most = MOST_PATHS + 1;
  const list = await listTree(git, repository, treeId, { deep: true, wanted: { entries: most, counted: most } });
  if (list === null || list.length > MOST_PATHS) return null;
  return list
    .slice(0, list.length)
    .filter(({ type }) => type === 'blob')
    .map(({ path }) => path);
}
