import type { Generated } from 'kysely';

/** Pipelines, jobs and artifacts (contract/runners.md "Data model"). */
export interface PipelinesTables {
  pipelines: PipelinesTable;
  pipeline_variables: PipelineVariablesTable;
  jobs: JobsTable;
  job_option_parts: JobOptionPartsTable;
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
/** Statuses that can be posted for a commit. */
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
  /** Idempotency key of the request that created the pipeline; unique. */
  origin: string | null;
  status: PipelineStatus;
  /** The last success or failure, kept while the pipeline runs again; null: none yet. */
  outcome: 'success' | 'failed' | null;
  /** Whether the ref was protected when the pipeline was created. */
  protected: boolean;
  user_id: number | null;
  /** The trigger of the pipeline, which may be deleted. */
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

/** Variables with which a user started a manual job. */
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
  /** Position of the stage in the pipeline. */
  stage_index: number;
  status: JobStatus;
  run_when: JobWhen;
  allow_failure: boolean;
  /** Whether a later job of the same name exists (a retry). */
  retried: boolean;
  /** Copy of the pipeline's flag, so that the search for runnable jobs needs no join. */
  protected: boolean;
  user_id: number | null;
  /** The runner and its manager; both may be deleted. */
  runner_id: number | null;
  runner_manager_id: number | null;
  /** Digest of the job token; set while the job runs. */
  token_digest: string | null;
  failure_reason: string | null;
  exit_code: number | null;
  coverage: number | null;
  /** Timeout in seconds: until the job starts, the value of the CI file, if any; then the effective value. */
  timeout: number | null;
  /** Timeout in seconds from the CI file; set when the job starts. */
  file_timeout: number | null;
  /** Environment name with variables expanded. */
  environment: string | null;
  /** Environment URL with variables expanded; set when a runner takes the job. */
  environment_url: string | null;
  resource_group_id: number | null;
  /** Size of the log in bytes. */
  trace_size: Generated<number>;
  /** The last bytes of the log, if they may begin a masked secret: encrypted, in base64. They are in no chunk yet. */
  trace_held: string | null;
  /** CRC-32 of the received bytes; null: no bytes, or unknown. */
  trace_checksum: number | null;
  /** When the growing log was last read, accurate to some seconds. */
  trace_watched_at: string | null;
  artifacts_expire_at: string | null;
  /** Start time of a delayed job. */
  scheduled_at: string | null;
  queued_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** Whether the log may contain secrets, because debug output of the runner or its services is enabled. */
  debug_mode: Generated<boolean>;
  erased_at: string | null;
  /** Time of the runner's last request for this job. */
  last_seen_at: string | null;
  created_at: string;
  updated_at: string;
  /** JSON array of `{job, artifacts, optional}`; null: all jobs of earlier stages. */
  needs: string | null;
  /** JSON array of ids of `job_option_parts`. */
  option_parts: Generated<string>;
}

/** Options of jobs from the CI file. Jobs of a pipeline with equal options share the row. */
interface JobOptionPartsTable {
  id: Generated<number>;
  pipeline_id: number;
  /** Name of the option that `value` holds; null: `value` is an object of several options. */
  name: string | null;
  /** JSON. */
  value: string;
}

interface JobTagsTable {
  job_id: number;
  name: string;
  /** Position in the job's list of tags. */
  position: number;
}

/** Chunks of logs that are not merged into one file yet. */
interface JobTraceChunksTable {
  job_id: number;
  /** Offset in the log in bytes. */
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
  /** Required access to the artifact: everyone who reads the job, Developers, Maintainers, or only jobs of its pipeline. */
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

/** Commit statuses that were posted through the API, not by runners. */
interface CommitStatusesTable {
  /** Id from the sequence of job ids. */
  id: number;
  project_id: number;
  pipeline_id: number;
  name: string;
  status: CommitStatusName;
  /** Whether a later status of the same name exists. */
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

/** Variables of a project, a group or (with neither) the instance (contract/runners.md §4.5). */
interface CiVariablesTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  key: string;
  encrypted_value: string;
  variable_type: VariableType;
  /** `*`, the name of an environment, or a wildcard. */
  environment_scope: string;
  /** Whether only pipelines of protected refs get the variable. */
  protected: boolean;
  masked: boolean;
  /** Whether the API never returns the value. */
  hidden: boolean;
  raw: boolean;
  description: string | null;
  created_at: string;
  updated_at: string;
}
