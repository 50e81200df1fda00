import { ddl } from '#database/ddl.ts';

/** Activity events and audit events. */
export const activity = ddl`
create table activity_events (
  id id,
  project_id integer not null,
  author_id integer not null,
  action text not null
    check (action in ('created', 'updated', 'closed', 'reopened', 'pushed', 'commented', 'merged', 'joined', 'left',
      'destroyed', 'expired', 'approved')),
  action_name text not null,
  target_type text,
  target_id integer,
  target_iid integer,
  imported_from text not null default 'none' check (imported_from in ('none', 'gitlab_migration')),
  push_action text check (push_action in ('created', 'pushed', 'removed')),
  ref_type text check (ref_type in ('branch', 'tag')),
  commit_count integer check (commit_count >= 0),
  commit_from text,
  commit_to text,
  ref text,
  commit_title text check (length(commit_title) <= 70),
  ref_count integer,
  created_at timestamp not null,
  check (
    (action = 'pushed') = (push_action is not null)
      and (push_action is null) = (ref_type is null)
      and (push_action is null) = (commit_count is null)
      and (push_action is null or target_type is null)
  )
);
create index activity_events_by_project on activity_events (project_id, created_at, id);
create index activity_events_by_author on activity_events (author_id, created_at, id);
create index activity_events_by_created_at on activity_events (created_at, id);
create index activity_events_by_target on activity_events (target_id, target_type) where target_id is not null;
-- Feeds of projects and users, filtered by action or by target type.
create index activity_events_by_project_action on activity_events (project_id, action, created_at, id);
-- Partial, because most events are pushes, which have no target.
create index activity_events_by_project_target on activity_events (project_id, target_type, created_at, id)
  where target_type is not null;
create index activity_events_by_author_action on activity_events (author_id, action, created_at, id);
create index activity_events_by_author_target on activity_events (author_id, target_type, created_at, id)
  where target_type is not null;
-- The projects in which a user was active, and the feed of the user in one project.
create index activity_events_by_author_project on activity_events (author_id, project_id, created_at, id);

create table audit_events (
  id id,
  author_id integer not null,
  entity_type text not null check (entity_type in ('User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope')),
  entity_id integer not null,
  event_name text not null,
  details json not null,
  created_at timestamp not null
);
create index audit_events_by_entity on audit_events (entity_type, entity_id, id);
create index audit_events_by_kind on audit_events (entity_type, id);
create index audit_events_by_author on audit_events (author_id, entity_type, entity_id, id);
create index audit_events_by_created_at on audit_events (created_at, id);
`;
