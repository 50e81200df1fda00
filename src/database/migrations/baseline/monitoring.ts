import { ddl } from '#database/ddl.ts';
import { trigramIndexOfFrequentlyUpdatedRows } from '#database/search/trigrams.ts';

/** Alerts, and the errors and sessions of applications. */
export const monitoring = ddl`
create table alert_integrations (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  type text not null check (type in ('http', 'prometheus')),
  name text not null,
  active boolean not null,
  endpoint_identifier text not null,
  encrypted_token text not null,
  token_digest text not null,
  payload_example json not null,
  payload_attribute_mapping json not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index alert_integrations_by_endpoint on alert_integrations (project_id, endpoint_identifier);
create index alert_integrations_by_project on alert_integrations (project_id, id);
create index alert_integrations_by_type on alert_integrations (project_id, type, id);

create table alerts (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  iid integer not null,
  title text not null,
  title_key text not null,
  service text,
  service_key text,
  monitoring_tool text,
  monitoring_tool_key text,
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  -- The highest rank comes first in descending order.
  severity_rank integer
    generated always as (
      case severity
        when 'unknown' then 0
        when 'info' then 1
        when 'low' then 2
        when 'medium' then 3
        when 'high' then 4
        when 'critical' then 5
      end
    ) stored,
  status text not null check (status in ('triggered', 'acknowledged', 'resolved', 'ignored')),
  status_rank integer
    generated always as (
      case status when 'ignored' then 0 when 'resolved' then 1 when 'acknowledged' then 2 when 'triggered' then 3 end
    ) stored,
  started_at timestamp not null,
  ended_at timestamp,
  event_count integer not null,
  fingerprint text,
  runbook text,
  metric_query text,
  y_label text,
  environment_id integer references environments (id) on delete set null,
  issue_id integer references issues (id) on delete set null,
  assignee_id integer references users (id) on delete set null,
  created_at timestamp not null,
  updated_at timestamp not null,
  hosts json not null,
  description text,
  description_key text,
  incident_markdown text,
  payload json not null,
  check ((ended_at is not null) = (status = 'resolved'))
);
create unique index alerts_by_iid on alerts (project_id, iid);
create unique index alerts_unresolved_by_fingerprint on alerts (project_id, fingerprint)
  where status <> 'resolved' and fingerprint is not null;
create index alerts_by_project on alerts (project_id, id);
create index alerts_by_start on alerts (project_id, started_at, id);
create index alerts_by_creation on alerts (project_id, created_at, id);
create index alerts_by_update on alerts (project_id, updated_at, id);
create index alerts_by_event_count on alerts (project_id, event_count, id);
create index alerts_by_severity on alerts (project_id, severity_rank, id);
create index alerts_by_status on alerts (project_id, status_rank, id);
-- Nulls come last in both directions; the descending order scans its index backwards.
create index alerts_by_end_asc on alerts (project_id, (ended_at is null), ended_at, id);
create index alerts_by_end_desc on alerts (project_id, (ended_at is not null), ended_at, id);
create index alerts_by_environment on alerts (environment_id, id) where environment_id is not null;
create index alerts_by_issue on alerts (issue_id, id) where issue_id is not null;
create index alerts_by_assignee on alerts (assignee_id, id) where assignee_id is not null;

create table alert_notes (
  id id,
  alert_id integer not null references alerts (id) on delete cascade,
  author_id integer not null references users (id),
  body text not null,
  system boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index alert_notes_by_alert on alert_notes (alert_id, created_at, id);
create index alert_notes_by_author on alert_notes (author_id, id);

create table incident_management_settings (
  project_id integer primary key references projects (id) on delete cascade,
  create_issue boolean not null,
  send_email boolean not null,
  auto_close_incident boolean not null,
  issue_template_key text
);

create table client_keys (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  public_key text not null,
  active boolean not null,
  created_at timestamp not null
);
create unique index client_keys_by_public_key on client_keys (public_key);
create index client_keys_by_project on client_keys (project_id, id);

create table error_tracking_settings (
  project_id integer primary key references projects (id) on delete cascade,
  active boolean not null,
  integrated boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);

create table ingestion_settings (
  project_id integer primary key references projects (id) on delete cascade,
  events_per_minute integer,
  retention_days integer not null,
  created_at timestamp not null,
  updated_at timestamp not null
);

create table ingestion_windows (
  project_id integer primary key references projects (id) on delete cascade,
  started_at timestamp not null,
  counted integer not null
);

create table errors (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  fingerprint text not null,
  type text not null check (type in ('error', 'default')),
  name text not null,
  name_key text not null,
  message text,
  message_key text,
  culprit text,
  culprit_key text,
  platform text not null,
  level text not null check (level in ('fatal', 'error', 'warning', 'info', 'debug')),
  status text not null check (status in ('unresolved', 'resolved', 'ignored')),
  event_count integer not null,
  user_count integer not null,
  first_seen timestamp not null,
  last_seen timestamp not null,
  last_received_at timestamp not null
);
create unique index errors_by_fingerprint on errors (project_id, fingerprint);
create index errors_by_last_seen on errors (project_id, status, last_seen, id);
create index errors_by_first_seen on errors (project_id, status, first_seen, id);
create index errors_by_event_count on errors (project_id, status, event_count, id);
${trigramIndexOfFrequentlyUpdatedRows('errors', 'name_key', 'message_key', 'culprit_key')}

-- Counts per error, so that lists do not read its events.
create table error_users (
  error_id integer not null references errors (id) on delete cascade,
  user_key text not null,
  primary key (error_id, user_key)
);

create table error_environments (
  error_id integer not null references errors (id) on delete cascade,
  environment text not null,
  primary key (error_id, environment)
);

create table error_hours (
  error_id integer not null references errors (id) on delete cascade,
  hour integer not null,
  event_count integer not null,
  primary key (error_id, hour)
);
-- The deletion of old hours.
create index error_hours_by_hour on error_hours (hour);

create table error_events (
  id id,
  -- The project of the error, copied for indexes; no foreign key, because the error has one.
  project_id integer not null,
  error_id integer not null references errors (id) on delete cascade,
  event_id text not null,
  type text not null,
  level text not null,
  message text,
  environment text,
  release text,
  platform text not null,
  -- A column, so that lists do not read the payload.
  logger text,
  affected_user json,
  tags json not null,
  occurred_at timestamp not null,
  received_at timestamp not null,
  -- The last column, so that queries without it do not read its overflow pages.
  payload json not null
);
create unique index error_events_by_event_id on error_events (project_id, event_id);
create index error_events_by_error on error_events (error_id, occurred_at, id);
create index error_events_by_receipt on error_events (project_id, received_at);

create table session_buckets (
  project_id integer not null references projects (id) on delete cascade,
  release text not null,
  environment text not null,
  total integer not null,
  exited integer not null,
  errored integer not null,
  crashed integer not null,
  abnormal integer not null,
  last_seen timestamp not null,
  primary key (project_id, release, environment)
);
create index session_buckets_by_last_seen on session_buckets (project_id, last_seen);

create table session_states (
  project_id integer not null references projects (id) on delete cascade,
  sid text not null,
  release text not null,
  environment text not null,
  bucket text not null,
  seq integer,
  received_at timestamp not null,
  primary key (project_id, sid)
);
create index session_states_by_receipt on session_states (project_id, received_at);
`;
