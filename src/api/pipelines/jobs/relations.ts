import { Commit } from '#api/code/commits/index.ts';
import { EmbeddedUser } from '#api/identity/users/index.ts';
import { readUsers } from '#authentication/users/users.ts';
import { findPipelines, type PipelineRow } from '#authorization/pipelines.ts';
import { findRunners } from '#authorization/runners.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { JobRow } from '#domain/jobs.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import type { SerializationContext, ShapeOf } from '#http/endpoint/entity.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { findManagers, Runner, RunnerManager } from '../runners/index.ts';

/** What jobs show besides their rows: each for all of them at once. */

export interface BesideJobs {
  readonly pipelines: ReadonlyMap<number, PipelineRow>;
  readonly projects: ReadonlyMap<number, Project>;
  readonly users: ReadonlyMap<number, ShapeOf<typeof EmbeddedUser>>;
  /** By `commitKey`. */
  readonly commits: ReadonlyMap<string, ShapeOf<typeof Commit>>;
}

/** What those have besides that their project shows. */
export interface BesideProjectJobs extends BesideJobs {
  readonly tags: ReadonlyMap<number, readonly string[]>;
  readonly artifacts: ReadonlyMap<number, readonly Artifact[]>;
  readonly runners: ReadonlyMap<number, ShapeOf<typeof Runner>>;
  readonly managers: ReadonlyMap<number, ShapeOf<typeof RunnerManager>>;
}

export async function besideJobs(rows: readonly JobRow[], to: SerializationContext): Promise<BesideJobs> {
  const { db } = to;
  const pipelines = byId(
    await findPipelines(
      db,
      rows.map(({ pipeline_id }) => pipeline_id),
    ),
  );
  const projects = byId(await findProjects(db, to.caller, distinct(rows.map(({ project_id }) => project_id))));
  const commits = await commitsOf([...pipelines.values()], projects, to);
  return { pipelines, projects, users: await usersOf(rows, to), commits };
}

export async function besideProjectJobs(rows: readonly JobRow[], to: SerializationContext): Promise<BesideProjectJobs> {
  const ids = rows.map(({ id }) => id);
  const tags = Map.groupBy(await tagsOf(to.db, ids), ({ job_id }) => job_id);
  const runners = await findRunners(to.db, distinct(rows.map(({ runner_id }) => runner_id)));
  const managers = await findManagers(to.db, distinct(rows.map(({ runner_manager_id }) => runner_manager_id)));
  return {
    ...(await besideJobs(rows, to)),
    tags: new Map([...tags].map(([id, of]) => [id, of.map(({ name }) => name)])),
    artifacts: Map.groupBy(await artifactsOf(to.db, ids), ({ job_id }) => job_id),
    runners: byId(await Runner.serializeAll(runners, to)),
    managers: byId(await RunnerManager.serializeAll([...managers.values()], to)),
  };
}

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));
const distinct = (ids: readonly (number | null)[]) => [...new Set(ids.filter((id) => id !== null))];

async function usersOf(rows: readonly JobRow[], to: SerializationContext): Promise<BesideJobs['users']> {
  const users = await readUsers(to.db, distinct(rows.map(({ user_id }) => user_id)));
  return byId(await EmbeddedUser.serializeAll(users, to));
}

/** One trip to git for each project. */
async function commitsOf(
  pipelines: readonly PipelineRow[],
  projects: BesideJobs['projects'],
  to: SerializationContext,
): Promise<BesideJobs['commits']> {
  const shown = new Map<string, ShapeOf<typeof Commit>>();
  for (const [projectId, some] of Map.groupBy(pipelines, ({ project_id }) => project_id)) {
    const project = projects.get(projectId);
    if (project === undefined) continue;
    const shas = [...new Set(some.map(({ sha }) => sha))];
    const commits = await readCommits(to.git, repositoryOf(to.git, project), shas);
    for (const commit of commits) {
      if (commit !== null) shown.set(commitKey(projectId, commit.id), Commit.serialize({ commit, project }, to));
    }
  }
  return shown;
}

/** A commit in its project. */
export const commitKey = (projectId: number, sha: string) => `${projectId} ${sha}`;

// index: job_tags_pkey
const tagsOf = prepareForIds((db, ids) =>
  db.selectFrom('job_tags').select(['job_id', 'name']).where('job_id', 'in', ids).orderBy('job_id').orderBy('position'),
);

// index: job_artifacts_by_job
const artifactsOf = prepareForIds((db, ids) =>
  db
    .selectFrom('job_artifacts')
    .select(['job_id', 'file_type', 'size', 'filename', 'file_format'])
    .where('job_id', 'in', ids)
    .orderBy('id'),
);

type Artifact = Awaited<ReturnType<typeof artifactsOf>>[number];
