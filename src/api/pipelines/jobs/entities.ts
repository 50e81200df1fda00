import { Type } from 'typebox';
import { Commit } from '#api/code/commits/index.ts';
import { PipelineBasic } from '#api/code/pipeline-summaries/index.ts';
import { EmbeddedUser } from '#api/identity/users/index.ts';
import { ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { findUsersByIds } from '#authentication/users/users.ts';
import { findPipelines, type PipelineRow } from '#authorization/pipelines.ts';
import { findRunners } from '#authorization/runners.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { JobRow } from '#domain/jobs.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { entity, type SerializationContext, type ShapeOf } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { getRepository } from '#repositories/repository.ts';
import { findManagersByIds, Runner, RunnerManager } from '../runners/index.ts';

/** Relations of jobs; the maps are keyed by id, unless noted. */
interface JobRelations {
  readonly pipelines: ReadonlyMap<number, PipelineRow>;
  readonly projects: ReadonlyMap<number, Project>;
  readonly users: ReadonlyMap<number, ShapeOf<typeof EmbeddedUser>>;
  /** Commits by `buildCommitKey`. */
  readonly commits: ReadonlyMap<string, ShapeOf<typeof Commit>>;
}

/** Further relations of jobs in project lists. */
interface ProjectJobRelations extends JobRelations {
  /** By job id. */
  readonly tags: ReadonlyMap<number, readonly string[]>;
  /** By job id. */
  readonly artifacts: ReadonlyMap<number, readonly ArtifactSummary[]>;
  readonly runners: ReadonlyMap<number, ShapeOf<typeof Runner>>;
  readonly managers: ReadonlyMap<number, ShapeOf<typeof RunnerManager>>;
}

async function loadJobRelations(rows: readonly JobRow[], context: SerializationContext): Promise<JobRelations> {
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

async function loadProjectJobRelations(
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
const buildCommitKey = (projectId: number, sha: string) => `${projectId} ${sha}`;

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

// Serialized forms of a job (contract/runners.md §5.1, §1.5).

const text = Type.String();
const integer = Type.Integer();

const commonFields = {
  id: integer,
  status: text,
  stage: text,
  name: text,
  ref: text,
  tag: Type.Boolean(),
  coverage: nullable(Type.Number()),
  allow_failure: Type.Boolean(),
  created_at: dateTime,
  started_at: nullable(dateTime),
  finished_at: nullable(dateTime),
  erased_at: nullable(dateTime),
  duration: nullable(Type.Number({ description: 'Seconds; until now while the job runs.' })),
  queued_duration: nullable(Type.Number({ description: 'Seconds; until now while the job waits for a runner.' })),
  /** Null if the user was deleted. */
  user: nullable(EmbeddedUser.schema),
  /** Null if the commit no longer exists. */
  commit: nullable(Commit.schema),
  pipeline: PipelineBasic.schema,
  web_url: text,
  failure_reason: Type.Optional(Type.String({ description: 'Present only for failed jobs.' })),
};

const COMMON_COLUMNS = [
  ...(['id', 'status', 'stage', 'name', 'coverage', 'allow_failure', 'created_at', 'started_at'] as const),
  ...(['finished_at', 'erased_at'] as const),
] as const;

function serializeCommonFields(row: JobRow, context: SerializationContext, relations: JobRelations) {
  const pipeline = relations.pipelines.get(row.pipeline_id)!;
  return {
    ref: pipeline.ref,
    tag: pipeline.tag,
    duration: secondsBetween(row.started_at, row.finished_at ?? (row.started_at && context.now)),
    queued_duration: secondsBetween(row.queued_at, row.started_at ?? (row.status === 'pending' ? context.now : null)),
    user: relations.users.get(row.user_id ?? 0) ?? null,
    commit: relations.commits.get(buildCommitKey(row.project_id, pipeline.sha)) ?? null,
    pipeline: PipelineBasic.serialize(pipeline, context),
    web_url: `${context.url}/${pipeline.full_path}/-/jobs/${row.id}`,
    ...(row.status === 'failed' ? { failure_reason: row.failure_reason ?? 'unknown_failure' } : {}),
  };
}

function secondsBetween(startedAt: string | null, endedAt: string | null): number | null {
  if (startedAt === null || endedAt === null) return null;
  return Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}

const ArtifactsFile = objectSchema('ArtifactsFile', { filename: text, size: integer });

const JobArtifact = objectSchema('JobArtifact', {
  file_type: text,
  size: integer,
  filename: text,
  file_format: nullable(text),
});

/** A job, as serialized for callers of its project. */
export const Job = entity('Job', {
  ...commonFields,
  project: objectSchema('JobProject', { ci_job_token_scope_enabled: Type.Boolean() }),
  /** Only if the job has an archive. */
  artifacts_file: Type.Optional(ArtifactsFile),
  artifacts: Type.Array(JobArtifact),
  /** Null before a runner takes the job, and if the runner was deleted. */
  runner: nullable(Runner.schema),
  runner_manager: nullable(RunnerManager.schema),
  artifacts_expire_at: nullable(dateTime),
  archived: Type.Boolean(),
  tag_list: Type.Array(text),
})
  .columns(...COMMON_COLUMNS, 'artifacts_expire_at')
  .from(loadProjectJobRelations, (row, context, relations) => {
    const artifacts = listDownloadableArtifacts(row, relations);
    const archive = artifacts.find(({ file_type }) => file_type === 'archive');
    return {
      ...serializeCommonFields(row, context, relations),
      project: { ci_job_token_scope_enabled: false },
      ...(archive ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
      artifacts,
      runner: relations.runners.get(row.runner_id ?? 0) ?? null,
      runner_manager: relations.managers.get(row.runner_manager_id ?? 0) ?? null,
      archived: false,
      tag_list: [...(relations.tags.get(row.id) ?? [])],
    };
  });

/** Lists the files that callers can download, including a log that is still stored in chunks. */
function listDownloadableArtifacts(row: JobRow, { artifacts }: ProjectJobRelations) {
  const storedArtifacts = (artifacts.get(row.id) ?? []).map(({ file_type, size, filename, file_format }) => ({
    file_type,
    size,
    filename,
    file_format,
  }));
  const hasLog = row.finished_at !== null && row.trace_size > 0 && row.erased_at === null;
  if (!hasLog || storedArtifacts.some(({ file_type }) => file_type === 'trace')) return storedArtifacts;
  return [...storedArtifacts, { file_type: 'trace', size: row.trace_size, filename: 'job.log', file_format: null }];
}

/** A job in the job list of a runner. */
export const RunnerJob = entity('RunnerJob', {
  ...commonFields,
  project: ProjectIdentity.schema,
})
  .columns(...COMMON_COLUMNS)
  .from(loadJobRelations, (row, context, relations) => ({
    ...serializeCommonFields(row, context, relations),
    project: ProjectIdentity.serialize(relations.projects.get(row.project_id)!, context),
  }));
