import type { Generated } from 'kysely';

/** Pipelines, their jobs, and what jobs leave behind (contract/runners.md "Data model"). */
export interface PipelinesTables {
  pipelines: PipelinesTable;
  pipeline_variables: PipelineVariablesTable;
  jobs: JobsTable;
  job_tags: JobTagsTable;
  job_variables: JobVariablesTable;
  job_trace_chunks: JobTraceChunksTable;
  job_artifacts: JobArtifactsTable;
  resource_groups: ResourceGroupsTable;
  commit_statuses: CommitStatusesTable;
  ci_variables: CiVariablesTable;
}

export type JobStatus =
  | 'created'
  | 'waiting_for_resource'
  | 'preparing'
  | 'waiting_for_callback'
  | 'pending'
  | 'running'
  | 'success'
  | 'failed'
  | 'canceling'
  | 'canceled'
  | 'skipped'
  | 'manual'
  | 'scheduled';
export type PipelineStatus = JobStatus;
/** Those of them that a posted status can have. */
export type CommitStatusName = 'pending' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped';
export type PipelineSource = 'push' | 'api' | 'web' | 'trigger' | 'schedule' | 'pipeline' | 'external';
export type VariableType = 'env_var' | 'file';
export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';
export type ProcessMode = 'unordered' | 'oldest_first' | 'newest_first' | 'newest_ready_first';

interface PipelinesTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  /** The short name of the branch or tag. */
  ref: string;
  tag: boolean;
  sha: string;
  before_sha: string;
  source: PipelineSource;
  /** What it was made of, where that may be told twice: of two with one origin there is one. */
  origin: string | null;
  status: PipelineStatus;
  /** The last of these that it has come to, though it be run again; null: neither yet. */
  outcome: 'success' | 'failed' | null;
  /** Whether the ref was protected when it was made. */
  protected: boolean;
  user_id: number | null;
  /** What has started it, which may have gone since. */
  trigger_id: number | null;
  schedule_id: number | null;
  yaml_errors: string | null;
  failure_reason: string | null;
  name: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
}

interface PipelineVariablesTable {
  id: Generated<number>;
  pipeline_id: number;
  key: string;
  /** Encrypted. */
  value: string;
  variable_type: VariableType;
  raw: boolean;
}

/** Those of a job alone, given when it was played. */
interface JobVariablesTable {
  id: Generated<number>;
  job_id: number;
  key: string;
  /** Encrypted. */
  value: string;
}

interface JobsTable {
  id: Generated<number>;
  project_id: number;
  pipeline_id: number;
  name: string;
  stage: string;
  /** The stage's place among those of the pipeline. */
  stage_index: number;
  status: JobStatus;
  run_when: JobWhen;
  allow_failure: boolean;
  /** There is a later attempt of the same name. */
  retried: boolean;
  /** As its pipeline's, so that runners find it without a look there. */
  protected: boolean;
  user_id: number | null;
  /** Which may have gone since, as may its manager. */
  runner_id: number | null;
  runner_manager_id: number | null;
  /** While it runs. */
  token_digest: string | null;
  failure_reason: string | null;
  exit_code: number | null;
  coverage: number | null;
  /** Seconds: at first what the file says, if it does; from when it runs what holds. */
  timeout: number | null;
  /** While it runs and afterwards: what the file says of the timeout. */
  file_timeout: number | null;
  /** The name, expanded. */
  environment: string | null;
  /** Where it is reached, expanded, from when the job has been handed out. */
  environment_url: string | null;
  resource_group_id: number | null;
  /** Bytes of its log. */
  trace_size: Generated<number>;
  /** Encrypted: its last few of these bytes, in base64, while they may be the beginning of a secret; those are in no chunk. */
  trace_held: string | null;
  /** CRC-32 of the bytes as they came; null: of none, or not known. */
  trace_checksum: number | null;
  /** When somebody last read the log while it grew, some seconds more or less. */
  trace_watched_at: string | null;
  artifacts_expire_at: string | null;
  /** Of a delayed job: when it becomes pending. */
  scheduled_at: string | null;
  queued_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  erased_at: string | null;
  /** When its runner was last heard of. */
  last_seen_at: string | null;
  created_at: string;
  updated_at: string;
  /** JSON array of `{job, artifacts, optional}`; null: all jobs of earlier stages. */
  needs: string | null;
  /** JSON of what the file says of it. Large: lists don't read it. */
  options: string;
}

interface JobTagsTable {
  job_id: number;
  name: string;
  /** Its place in the list as it was given. */
  position: number;
}

/** A piece of a log that has not been put together yet. */
interface JobTraceChunksTable {
  job_id: number;
  /** Where it begins, in bytes. */
  start: number;
  size: number;
  sha256: string;
}

interface JobArtifactsTable {
  id: Generated<number>;
  job_id: number;
  project_id: number;
  /** `archive`, `trace`, `junit`, `dotenv`, ... */
  file_type: string;
  /** `zip`, `gzip`, `raw`; null for logs. */
  file_format: string | null;
  filename: string;
  size: number;
  sha256: string;
  /** Who may have it: whoever reads the job, Developers, Maintainers, or other jobs of its pipeline alone. */
  accessibility: 'public' | 'private' | 'maintainer' | 'none';
  expire_at: string | null;
  created_at: string;
}

interface ResourceGroupsTable {
  id: Generated<number>;
  project_id: number;
  key: string;
  process_mode: ProcessMode;
  created_at: string;
  updated_at: string;
}

/** What others than runners say of a pipeline's commit. */
interface CommitStatusesTable {
  /** Of the numbers of jobs. */
  id: number;
  project_id: number;
  pipeline_id: number;
  name: string;
  status: CommitStatusName;
  /** There is a later one of the same name. */
  retried: boolean;
  user_id: number | null;
  target_url: string | null;
  description: string | null;
  coverage: number | null;
  failure_reason: string | null;
  started_at: string | null;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Of a project or a group, or, with neither, of the instance: what jobs are given (contract/runners.md §4.5). */
interface CiVariablesTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  key: string;
  encrypted_value: string;
  variable_type: VariableType;
  /** `*`, the name of an environment, or a wildcard. */
  environment_scope: string;
  /** Only for pipelines of protected refs. */
  protected: boolean;
  masked: boolean;
  /** Shown to nobody, for ever. */
  hidden: boolean;
  raw: boolean;
  description: string | null;
  created_at: string;
  updated_at: string;
}
