import { Type } from 'typebox';
import { Commit } from '#api/code/commits/index.ts';
import { PipelineBasic } from '#api/code/pipeline-summaries/index.ts';
import { EmbeddedUser } from '#api/identity/users/index.ts';
import { ProjectIdentity } from '#api/namespaces/projects/index.ts';
import type { JobRow } from '#domain/jobs.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { Runner, RunnerManager } from '../runners/index.ts';
import {
  buildCommitKey,
  type JobRelations,
  loadJobRelations,
  loadProjectJobRelations,
  type ProjectJobRelations,
} from './relations.ts';

/** Serialized forms of a job (contract/runners.md §5.1, §1.5). */

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
  /** Seconds; up to now while the job runs. */
  duration: nullable(Type.Number()),
  /** Seconds; up to now while the job waits for a runner. */
  queued_duration: nullable(Type.Number()),
  /** Null if the user was deleted. */
  user: nullable(EmbeddedUser.schema),
  /** Null if the commit no longer exists. */
  commit: nullable(Commit.schema),
  pipeline: PipelineBasic.schema,
  web_url: text,
  /** Only for failed jobs. */
  failure_reason: Type.Optional(text),
};

function serializeCommonFields(row: JobRow, context: SerializationContext, relations: JobRelations) {
  const pipeline = relations.pipelines.get(row.pipeline_id)!;
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    name: row.name,
    ref: pipeline.ref,
    tag: pipeline.tag,
    coverage: row.coverage,
    allow_failure: row.allow_failure,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    erased_at: row.erased_at,
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
}).from(loadProjectJobRelations, (row, context, relations) => {
  const artifacts = listDownloadableArtifacts(row, relations);
  const archive = artifacts.find(({ file_type }) => file_type === 'archive');
  return {
    ...serializeCommonFields(row, context, relations),
    project: { ci_job_token_scope_enabled: false },
    ...(archive ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
    artifacts,
    runner: relations.runners.get(row.runner_id ?? 0) ?? null,
    runner_manager: relations.managers.get(row.runner_manager_id ?? 0) ?? null,
    artifacts_expire_at: row.artifacts_expire_at,
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
}).from(loadJobRelations, (row, context, relations) => ({
  ...serializeCommonFields(row, context, relations),
  project: ProjectIdentity.serialize(relations.projects.get(row.project_id)!, context),
}));
