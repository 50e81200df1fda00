import { ddl } from '#database/ddl.ts';

/** Background jobs, counters, blobs, and the settings of the instance. */
export const instance = ddl`
-- The durable queue. The table jobs has the jobs of pipelines.
create table background_jobs (
  id id,
  kind text not null,
  payload json not null,
  run_at timestamp not null,
  attempts integer not null default 0,
  -- Counts the processes that died while they ran the job, so that a faulty job cannot crash one process after
  -- another.
  process_deaths integer not null default 0,
  lease_until timestamp,
  lease_owner text,
  key text,
  state text not null default 'pending' check (state in ('pending', 'dead')),
  last_error text,
  created_at timestamp not null,
  check ((lease_until is null) = (lease_owner is null))
);
create index background_jobs_by_run_at on background_jobs (run_at, id) where state = 'pending';
-- At most one waiting job of a kind has a key.
create unique index background_jobs_waiting_by_key on background_jobs (kind, key)
  where state = 'pending' and lease_owner is null and key is not null;
create index background_jobs_leased on background_jobs (lease_owner, kind, key) where lease_owner is not null;
create index background_jobs_dead on background_jobs (id) where state = 'dead';
create index background_jobs_suspects on background_jobs (run_at, id) where state = 'pending' and process_deaths > 0;

create table schedules (
  name text primary key,
  cron text not null,
  next_run_at timestamp not null
);

create table counters (
  name text primary key,
  value integer not null
);

-- Counters of rate limits.
create table limit_counts (
  key text primary key,
  period integer not null,
  count integer not null,
  -- The end of the period, so that counts of addresses that never return can be deleted.
  ends_at timestamp not null
);
create index limit_counts_by_end on limit_counts (ends_at);

-- The content of blobs is in files.
create table blobs (
  sha256 text primary key,
  size integer not null check (size >= 0),
  linked_at timestamp not null
);

create table application_settings (
  id integer primary key check (id = 1),
  value json not null,
  updated_at timestamp not null
);

create table feature_flags (
  id id,
  name text not null,
  on_for_all boolean not null default false,
  percentage_of_time real check (percentage_of_time > 0 and percentage_of_time < 100),
  percentage_of_actors real check (percentage_of_actors > 0 and percentage_of_actors < 100),
  actors json not null default '[]',
  feature_groups json not null default '[]',
  updated_at timestamp not null
);
create unique index feature_flags_by_name on feature_flags (name);
`;
