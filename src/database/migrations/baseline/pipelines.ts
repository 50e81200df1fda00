import { ddl } from '#database/ddl.ts';

/** Runners, pipelines, jobs with their logs and artifacts, commit statuses, and CI variables. */
export const pipelines = ddl`
create table runners (
  id id,
  runner_type text not null check (runner_type in ('instance_type', 'group_type', 'project_type')),
  group_id integer references namespaces (id) on delete cascade,
  description text,
  name text,
  token_digest text not null,
  token_expires_at timestamp,
  registration_type text not null check (registration_type in ('registration_token', 'authenticated_user')),
  creator_id integer references users (id) on delete set null,
  paused boolean not null,
  locked boolean not null,
  run_untagged boolean not null,
  access_level text not null check (access_level in ('not_protected', 'ref_protected')),
  maximum_timeout integer,
  maintenance_note text,
  ip_address text not null default '',
  contacted_at timestamp,
  version text,
  revision text,
  platform text,
  architecture text,
  queue_version integer not null default 0,
  created_at timestamp not null,
  updated_at timestamp not null,
  check ((runner_type = 'group_type') = (group_id is not null))
);
create unique index runners_by_token on runners (token_digest);
create index runners_by_type on runners (runner_type, id);
create index runners_by_group on runners (group_id, id);
create index runners_by_creator on runners (creator_id, id);
create index runners_by_paused on runners (paused, id);
create index runners_by_contact on runners (contacted_at, id);
create index runners_by_creation on runners (created_at, id);

create table runner_projects (
  -- The first project is the owner.
  id id,
  runner_id integer not null references runners (id) on delete cascade,
  project_id integer not null references projects (id) on delete cascade
);
create unique index runner_projects_by_runner on runner_projects (runner_id, project_id);
create index runner_projects_by_project on runner_projects (project_id, runner_id);

create table runner_tags (
  runner_id integer not null references runners (id) on delete cascade,
  name text not null,
  position integer not null,
  primary key (runner_id, name)
);
create index runner_tags_by_name on runner_tags (name, runner_id);

create table runner_managers (
  id id,
  runner_id integer not null references runners (id) on delete cascade,
  system_id text not null,
  version text,
  revision text,
  platform text,
  architecture text,
  executor text,
  ip_address text not null default '',
  features json,
  config json,
  labels json,
  contacted_at timestamp,
  created_at timestamp not null
);
create unique index runner_managers_by_system_id on runner_managers (runner_id, system_id);
create index runner_managers_by_contact on runner_managers (contacted_at, id);
create index runner_managers_by_runner on runner_managers (runner_id, contacted_at, id);

create table runner_registration_tokens (
  id id,
  group_id integer references namespaces (id) on delete cascade,
  project_id integer references projects (id) on delete cascade,
  token text not null,
  token_digest text not null
);
create unique index runner_registration_tokens_by_token on runner_registration_tokens (token_digest);
create unique index runner_registration_tokens_by_group on runner_registration_tokens (group_id);
create unique index runner_registration_tokens_by_project on runner_registration_tokens (project_id);
-- At most one registration token belongs to the instance: it has neither a group nor a project.
create unique index runner_registration_tokens_of_instance on runner_registration_tokens ((1))
  where group_id is null and project_id is null;

create table runner_queues (
  scope text not null check (scope in ('instance', 'group', 'project')),
  scope_id integer not null,
  shard integer not null,
  version integer not null,
  primary key (scope, scope_id, shard)
);

create table ci_variables (
  id id,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  key text not null,
  encrypted_value text not null,
  variable_type text not null check (variable_type in ('env_var', 'file')),
  environment_scope text not null,
  protected boolean not null,
  masked boolean not null,
  hidden boolean not null,
  raw boolean not null,
  description text,
  created_at timestamp not null,
  updated_at timestamp not null,
  check (project_id is null or group_id is null)
);
create unique index ci_variables_by_project on ci_variables (project_id, key, environment_scope)
  where project_id is not null;
create index ci_variables_by_project_id on ci_variables (project_id, id) where project_id is not null;
create unique index ci_variables_by_group on ci_variables (group_id, key, environment_scope)
  where group_id is not null;
create index ci_variables_by_group_id on ci_variables (group_id, id) where group_id is not null;
create unique index ci_variables_of_instance on ci_variables (key) where project_id is null and group_id is null;
create index ci_variables_of_instance_id on ci_variables (id) where project_id is null and group_id is null;

create table pipeline_triggers (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  owner_id integer not null references users (id) on delete cascade,
  description text not null,
  encrypted_token text not null,
  token_digest text not null,
  short_token text not null,
  expires_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index pipeline_triggers_by_token on pipeline_triggers (token_digest);
create index pipeline_triggers_by_project on pipeline_triggers (project_id, id);
create index pipeline_triggers_by_owner on pipeline_triggers (owner_id, id);
create index pipeline_triggers_by_end on pipeline_triggers (expires_at, id) where expires_at is not null;

create table pipeline_schedules (
  id id,
  -- Cascade, because a project has at most ten schedules.
  project_id integer not null references projects (id) on delete cascade,
  owner_id integer references users (id) on delete set null,
  description text not null,
  ref text not null,
  cron text not null,
  cron_timezone text not null,
  next_run_at timestamp not null,
  active boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index pipeline_schedules_by_project on pipeline_schedules (project_id, id);
create index pipeline_schedules_by_owner on pipeline_schedules (owner_id, id);
create index pipeline_schedules_due on pipeline_schedules (active, next_run_at, id);

create table pipeline_schedule_variables (
  id id,
  schedule_id integer not null references pipeline_schedules (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null check (variable_type in ('env_var', 'file')),
  raw boolean not null
);
create unique index pipeline_schedule_variables_by_key on pipeline_schedule_variables (schedule_id, key);

create table pipelines (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  iid integer not null,
  ref text not null,
  tag boolean not null,
  sha text not null,
  before_sha text not null,
  source text not null,
  origin text,
  status text not null,
  -- The outcome that notifications compare with that of the next pipeline.
  outcome text check (outcome in ('success', 'failed')),
  protected boolean not null,
  user_id integer references users (id) on delete set null,
  -- No foreign keys: a deleted trigger or schedule may have a million pipelines, which then need no update.
  trigger_id integer,
  schedule_id integer,
  yaml_errors text,
  failure_reason text,
  name text,
  started_at timestamp,
  finished_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index pipelines_by_iid on pipelines (project_id, iid);
create unique index pipelines_by_origin on pipelines (project_id, origin);
create index pipelines_by_project on pipelines (project_id, id);
create index pipelines_by_ref on pipelines (project_id, ref, id);
create index pipelines_by_sha on pipelines (project_id, sha, id);
create index pipelines_by_status on pipelines (project_id, status, id);
create index pipelines_by_updated_at on pipelines (project_id, updated_at, id);
create index pipelines_by_user on pipelines (user_id, id);
create index pipelines_by_project_user on pipelines (project_id, user_id, id);
-- The newest pipeline of the head of a merge request.
create index pipelines_by_sha_ref on pipelines (project_id, sha, ref, id);
create index pipelines_with_outcome on pipelines (project_id, ref, id) where outcome is not null;
create index pipelines_by_trigger on pipelines (trigger_id, id) where trigger_id is not null;
create index pipelines_by_schedule on pipelines (schedule_id, id) where schedule_id is not null;
-- The newest successful pipeline of a ref, for downloads of artifacts archives.
create index pipelines_successful on pipelines (project_id, ref, id) where status = 'success';

create table pipeline_variables (
  id id,
  pipeline_id integer not null references pipelines (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null check (variable_type in ('env_var', 'file')),
  raw boolean not null
);
create unique index pipeline_variables_by_key on pipeline_variables (pipeline_id, key);

create table resource_groups (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  key text not null,
  process_mode text not null
    check (process_mode in ('unordered', 'oldest_first', 'newest_first', 'newest_ready_first')),
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index resource_groups_by_key on resource_groups (project_id, key);

create table jobs (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  pipeline_id integer not null references pipelines (id) on delete cascade,
  name text not null,
  stage text not null,
  stage_index integer not null,
  status text not null,
  run_when text not null,
  allow_failure boolean not null,
  -- Only Developers may read the logs of jobs that ran in debug mode.
  debug_mode boolean not null default false,
  retried boolean not null,
  protected boolean not null,
  user_id integer references users (id) on delete set null,
  -- No foreign key: a deleted runner may have a million jobs, which then need no update.
  runner_id integer,
  runner_manager_id integer,
  token_digest text,
  failure_reason text,
  exit_code integer,
  coverage real,
  timeout integer,
  file_timeout integer,
  environment text,
  -- Known once all variables of the job are known.
  environment_url text,
  resource_group_id integer references resource_groups (id) on delete set null,
  trace_size integer not null default 0,
  -- The state of the log that the next append needs, and when a user last read the growing log.
  trace_held text,
  trace_checksum integer,
  trace_watched_at timestamp,
  artifacts_expire_at timestamp,
  scheduled_at timestamp,
  queued_at timestamp,
  started_at timestamp,
  finished_at timestamp,
  erased_at timestamp,
  last_seen_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null,
  needs json,
  option_parts json not null default '[]'
);
create index jobs_by_project on jobs (project_id, id);
create index jobs_by_status on jobs (project_id, status, id);
create index jobs_by_pipeline on jobs (pipeline_id, id);
create index jobs_by_runner on jobs (runner_id, id);
create index jobs_by_runner_status on jobs (runner_id, status, id);
create index jobs_by_runner_manager on jobs (runner_manager_id, id);
create index jobs_by_user on jobs (user_id, id);
create index jobs_by_resource_group on jobs (resource_group_id, status, id);
create unique index jobs_latest_by_name on jobs (pipeline_id, name) where not retried;
create unique index jobs_by_token on jobs (token_digest);
-- Unfinished jobs, which are few.
create index jobs_pending on jobs (project_id, id) where status = 'pending';
create index jobs_running on jobs (project_id, id) where status = 'running';
create index jobs_canceling on jobs (project_id, id) where status = 'canceling';
create index jobs_scheduled on jobs (project_id, id) where status = 'scheduled';
create index jobs_waiting_for_resource on jobs (project_id, id) where status = 'waiting_for_resource';
-- Jobs with an environment, which are few.
create index jobs_with_environment on jobs (pipeline_id) where environment is not null;

-- A table of its own: jobs of a pipeline can share rows, and status changes do not rewrite the options.
create table job_option_parts (
  id id,
  pipeline_id integer not null references pipelines (id) on delete cascade,
  name text,
  value json not null
);
create index job_option_parts_by_pipeline on job_option_parts (pipeline_id, id);

create table job_tags (
  job_id integer not null references jobs (id) on delete cascade,
  name text not null,
  position integer not null,
  primary key (job_id, name)
);

create table job_variables (
  id id,
  job_id integer not null references jobs (id) on delete cascade,
  key text not null,
  value text not null
);
create unique index job_variables_by_key on job_variables (job_id, key);

create table job_trace_chunks (
  job_id integer not null references jobs (id) on delete cascade,
  start integer not null,
  size integer not null,
  sha256 text not null references blobs (sha256),
  primary key (job_id, start)
);
create index job_trace_chunks_by_blob on job_trace_chunks (sha256);

create table job_artifacts (
  id id,
  job_id integer not null references jobs (id) on delete cascade,
  project_id integer not null references projects (id) on delete cascade,
  file_type text not null,
  file_format text,
  filename text not null,
  size integer not null,
  sha256 text not null references blobs (sha256),
  accessibility text not null check (accessibility in ('public', 'private', 'maintainer', 'none')),
  expire_at timestamp,
  created_at timestamp not null
);
create unique index job_artifacts_by_job on job_artifacts (job_id, file_type);
create index job_artifacts_by_project on job_artifacts (project_id, id);
create index job_artifacts_by_blob on job_artifacts (sha256);
create index job_artifacts_by_expiry on job_artifacts (expire_at, id);
-- Projects with security reports.
create index job_artifacts_security on job_artifacts (project_id)
  where file_type in ('sast', 'secret_detection', 'dependency_scanning', 'container_scanning',
    'cluster_image_scanning', 'dast', 'coverage_fuzzing', 'api_fuzzing');

create table commit_statuses (
  -- Ids are distinct from those of jobs, because lists contain both.
  id integer primary key,
  project_id integer not null references projects (id) on delete cascade,
  pipeline_id integer not null references pipelines (id) on delete cascade,
  name text not null,
  status text not null,
  retried boolean not null,
  user_id integer references users (id) on delete set null,
  target_url text,
  description text,
  coverage real,
  failure_reason text,
  started_at timestamp,
  finished_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index commit_statuses_by_project on commit_statuses (project_id, id);
create index commit_statuses_by_pipeline on commit_statuses (pipeline_id, id);
create index commit_statuses_by_user on commit_statuses (user_id, id);
create unique index commit_statuses_latest_by_name on commit_statuses (pipeline_id, name) where not retried;
-- The status of a pipeline depends on the set of statuses, not on their numbers.
create index commit_statuses_latest_by_status on commit_statuses (pipeline_id, status) where not retried;
`;
