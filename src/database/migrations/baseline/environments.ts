import { ddl } from '#database/ddl.ts';
import { columnCopies } from '#database/triggers.ts';

/** Environments, deployments, and protected environments. */
export const environments = ddl`
create table environments (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  name text not null,
  name_key text not null,
  rest_key text,
  slug text not null,
  folder text,
  external_url text,
  state text not null check (state in ('available', 'stopping', 'stopped')),
  tier text not null check (tier in ('production', 'staging', 'testing', 'development', 'other')),
  description text,
  auto_stop_setting text not null check (auto_stop_setting in ('always', 'with_action')),
  auto_stop_at timestamp,
  auto_delete_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index environments_by_name on environments (project_id, name);
create unique index environments_by_slug on environments (project_id, slug);
create index environments_by_project on environments (project_id, id);
create index environments_by_state on environments (project_id, state, id);
-- Covering indexes: a search counts rows in the index only.
create index environments_by_name_key on environments (project_id, name_key, state, id);
create index environments_by_rest_key on environments (project_id, rest_key, name_key, state, id)
  where rest_key is not null;
create index environments_review_apps on environments (project_id, created_at, id)
  where folder = 'review' and state = 'stopped' and auto_delete_at is null;
create index environments_stale on environments (project_id, updated_at, id) where state = 'available';
create index environments_by_auto_stop on environments (auto_stop_at, id)
  where state = 'available' and auto_stop_at is not null;
create index environments_by_auto_delete on environments (auto_delete_at, id)
  where state = 'stopped' and auto_delete_at is not null;
-- An expression, because without statistics PostgreSQL would also use an index by name for queries of one project.
create index environments_of_all_by_name on environments ((name || ''));

create table protected_environments (
  id id,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  name text not null,
  required_approval_count integer not null,
  created_at timestamp not null,
  updated_at timestamp not null,
  check ((project_id is null) <> (group_id is null))
);
create unique index protected_environments_by_project on protected_environments (project_id, name);
create unique index protected_environments_by_group on protected_environments (group_id, name);

create table protected_environment_deploy_access_levels (
  id id,
  protected_environment_id integer not null references protected_environments (id) on delete cascade,
  access_level integer,
  user_id integer references users (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  group_inheritance_type integer not null default 0,
  check (
    (case when access_level is null then 0 else 1 end)
      + (case when user_id is null then 0 else 1 end)
      + (case when group_id is null then 0 else 1 end) = 1
  )
);
create index deploy_access_levels_by_protection on protected_environment_deploy_access_levels
  (protected_environment_id, id);
create index deploy_access_levels_by_user on protected_environment_deploy_access_levels (user_id);
create index deploy_access_levels_by_group on protected_environment_deploy_access_levels (group_id);

create table protected_environment_approval_rules (
  id id,
  protected_environment_id integer not null references protected_environments (id) on delete cascade,
  access_level integer,
  user_id integer references users (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  group_inheritance_type integer not null default 0,
  required_approvals integer not null default 1,
  check (
    (case when access_level is null then 0 else 1 end)
      + (case when user_id is null then 0 else 1 end)
      + (case when group_id is null then 0 else 1 end) = 1
  )
);
create index approval_rules_by_protection on protected_environment_approval_rules (protected_environment_id, id);
create index approval_rules_by_user on protected_environment_approval_rules (user_id);
create index approval_rules_by_group on protected_environment_approval_rules (group_id);

create table deployments (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  iid integer not null,
  environment_id integer not null references environments (id) on delete cascade,
  ref text not null,
  tag boolean not null,
  sha text not null,
  user_id integer references users (id) on delete set null,
  job_id integer references jobs (id) on delete set null,
  on_stop text,
  status text not null,
  finished_at timestamp,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index deployments_by_iid on deployments (project_id, iid);
create unique index deployments_by_job on deployments (job_id);
create index deployments_by_project on deployments (project_id, id);
create index deployments_by_creation on deployments (project_id, created_at, id);
create index deployments_by_update on deployments (project_id, updated_at, id);
create index deployments_by_status on deployments (project_id, status, id);
-- Lists ordered by finished_at always filter by status.
create index deployments_by_end on deployments (project_id, status, finished_at, id);
create index deployments_by_environment on deployments (environment_id, id);
create index deployments_by_environment_creation on deployments (environment_id, created_at, id);
create index deployments_by_environment_update on deployments (environment_id, updated_at, id);
create index deployments_finished on deployments (environment_id, status, finished_at, id);
create index deployments_by_user on deployments (user_id, id);
create index deployments_by_ref on deployments (project_id, ref, environment_id) where status = 'success';

create table deployment_merge_requests (
  deployment_id integer not null references deployments (id) on delete cascade,
  environment_id integer not null references environments (id) on delete cascade,
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  -- Copies of columns of the deployment, so that lists of merge requests by time of deployment read only an index.
  project_id integer,
  finished_at timestamp,
  primary key (environment_id, merge_request_id)
);
create index deployment_merge_requests_by_deployment on deployment_merge_requests (deployment_id, merge_request_id);
create index deployment_merge_requests_by_merge_request on deployment_merge_requests (merge_request_id, finished_at);
create index deployment_merge_requests_by_project on deployment_merge_requests
  (project_id, finished_at, merge_request_id);
create index deployment_merge_requests_by_environment on deployment_merge_requests
  (environment_id, finished_at, merge_request_id);
create index deployment_merge_requests_by_finished_at on deployment_merge_requests (finished_at, merge_request_id);
${columnCopies({
  table: 'deployment_merge_requests',
  key: 'deployment_id',
  source: 'deployments',
  columns: ['project_id', 'finished_at'],
})}

create table deployment_approvals (
  id id,
  deployment_id integer not null references deployments (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  approval_rule_id integer references protected_environment_approval_rules (id) on delete set null,
  rule_key integer not null,
  status text not null check (status in ('approved', 'rejected')),
  comment text,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index deployment_approvals_by_rule on deployment_approvals (deployment_id, user_id, rule_key);
create index deployment_approvals_by_user_id on deployment_approvals (user_id);
create index deployment_approvals_by_approval_rule_id on deployment_approvals (approval_rule_id);
`;
