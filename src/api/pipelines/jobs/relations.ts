import { Commit } from '#api/code/commits/index.ts';
import { EmbeddedUser } from '#api/identity/users/index.ts';
import { findUsersByIds } from '#authentication/users/users.ts';
import { findPipelines, type PipelineRow } from '#authorization/pipelines.ts';
import { findRunners } from '#authorization/runners.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { JobRow } from '#domain/jobs.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import type { SerializationContext, ShapeOf } from '#http/endpoint/entity.ts';
import { getRepository } from '#repositories/repository.ts';
import { findManagersByIds, Runner, RunnerManager } from '../runners/index.ts';

/** Related data of jobs, loaded for many jobs at once. */

/** Relations of jobs; the maps are keyed by id, unless noted. */
export interface JobRelations {
  readonly pipelines: ReadonlyMap<number, PipelineRow>;
  readonly projects: ReadonlyMap<number, Project>;
  readonly users: ReadonlyMap<number, ShapeOf<typeof EmbeddedUser>>;
  /** Commits by `buildCommitKey`. */
  readonly commits: ReadonlyMap<string, ShapeOf<typeof Commit>>;
}

/** Further relations of jobs in project lists. */
export interface ProjectJobRelations extends JobRelations {
  /** By job id. */
  readonly tags: ReadonlyMap<number, readonly string[]>;
  /** By job id. */
  readonly artifacts: ReadonlyMap<number, readonly ArtifactSummary[]>;
  readonly runners: ReadonlyMap<number, ShapeOf<typeof Runner>>;
  readonly managers: ReadonlyMap<number, ShapeOf<typeof RunnerManager>>;
}

export async function loadJobRelations(rows: readonly JobRow[], context: SerializationContext): Promise<JobRelations> {
  const { db } = context;
  const pipelines = mapById(
    await findPipelines(
      db,
      rows.map(({ pipeline_id }) => pipeline_id),
    ),
  );
  const projects = mapById(
    await findProjects(db, context.caller, distinctIds(rows.map(({ project_id }) => project_id))),
  );
  const commits = await loadCommits([...pipelines.values()], projects, context);
  return { pipelines, projects, users: await loadUsers(rows, context), commits };
}

export async function loadProjectJobRelations(
  rows: readonly JobRow[],
  context: SerializationContext,
): Promise<ProjectJobRelations> {
  const ids = rows.map(({ id }) => id);
  const tags = Map.groupBy(await listTags(context.db, ids), ({ job_id }) => job_id);
  const runners = await findRunners(context.db, distinctIds(rows.map(({ runner_id }) => runner_id)));
  const managers = await findManagersByIds(
    context.db,
    distinctIds(rows.map(({ runner_manager_id }) => runner_manager_id)),
  );
  return {
    ...(await loadJobRelations(rows, context)),
    tags: new Map([...tags].map(([id, rows]) => [id, rows.map(({ name }) => name)])),
    artifacts: Map.groupBy(await listArtifacts(context.db, ids), ({ job_id }) => job_id),
    runners: mapById(await Runner.serializeAll(runners, context)),
    managers: mapById(await RunnerManager.serializeAll([...managers.values()], context)),
  };
}

const mapById = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]));
const distinctIds = (ids: readonly (number | null)[]) => [...new Set(ids.filter((id) => id !== null))];

async function loadUsers(rows: readonly JobRow[], context: SerializationContext): Promise<JobRelations['users']> {
  const users = await findUsersByIds(context.db, distinctIds(rows.map(({ user_id }) => user_id)));
  return mapById(await EmbeddedUser.serializeAll(users, context));
}

/** Loads the commits with one git call per project. */
async function loadCommits(
  pipelines: readonly PipelineRow[],
  projects: JobRelations['projects'],
  context: SerializationContext,
): Promise<JobRelations['commits']> {
  const commitsByKey = new Map<string, ShapeOf<typeof Commit>>();
  for (const [projectId, projectPipelines] of Map.groupBy(pipelines, ({ project_id }) => project_id)) {
    const project = projects.get(projectId);
    if (project === undefined) continue;
    const shas = [...new Set(projectPipelines.map(({ sha }) => sha))];
    const commits = await readCommits(context.git, getRepository(context.git, project), shas);
    for (const commit of commits) {
      if (commit !== null)
        commitsByKey.set(buildCommitKey(projectId, commit.id), Commit.serialize({ commit, project }, context));
    }
  }
  return commitsByKey;
}

/** Returns the map key of a commit. */
export const buildCommitKey = (projectId: number, sha: string) => `${projectId} ${sha}`;

// index: job_tags_pkey
const listTags = prepareForIds((db, ids) =>
  db.selectFrom('job_tags').select(['job_id', 'name']).where('job_id', 'in', ids).orderBy('job_id').orderBy('position'),
);

// index: job_artifacts_by_job
const listArtifacts = prepareForIds((db, ids) =>
  db
    .selectFrom('job_artifacts')
    .select(['job_id', 'file_type', 'size', 'filename', 'file_format'])
    .where('job_id', 'in', ids)
    .orderBy('id'),
);

type ArtifactSummary = Awaited<ReturnType<typeof listArtifacts>>[number];
