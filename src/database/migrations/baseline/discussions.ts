import { ddl } from '#database/ddl.ts';

/** Notes, awarded emoji, resource events, subscriptions and to-do items. */
export const discussions = ddl`
create table notes (
  id id,
  -- Exactly one of the columns that refer to a noteable is set.
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  commented_commit_id integer references commented_commits (id) on delete cascade,
  snippet_id integer references snippets (id) on delete cascade,
  discussion_id text not null,
  type text,
  author_id integer not null references users (id),
  system boolean not null,
  kind text,
  mentioning_issue_id integer references issues (id) on delete cascade,
  mentioning_merge_request_id integer references merge_requests (id) on delete cascade,
  mentioning_epic_id integer references epics (id) on delete cascade,
  internal boolean not null,
  resolved_by_id integer references users (id) on delete set null,
  resolved_at timestamp,
  commit_sha text,
  imported_from text not null default 'none',
  created_at timestamp not null,
  updated_at timestamp not null,
  position json,
  body text not null
);
create index notes_by_issue_created on notes (issue_id, created_at, id) where issue_id is not null;
create index notes_by_issue_updated on notes (issue_id, updated_at, id) where issue_id is not null;
create index notes_by_author on notes (author_id, issue_id);
create index notes_by_merge_request_created on notes (merge_request_id, created_at, id)
  where merge_request_id is not null;
create index notes_by_merge_request_updated on notes (merge_request_id, updated_at, id)
  where merge_request_id is not null;
create index notes_by_epic_created on notes (epic_id, created_at, id) where epic_id is not null;
create index notes_by_epic_updated on notes (epic_id, updated_at, id) where epic_id is not null;
create index notes_by_mentioning_issue on notes (mentioning_issue_id) where mentioning_issue_id is not null;
create index notes_by_mentioning_merge_request on notes (mentioning_merge_request_id)
  where mentioning_merge_request_id is not null;
create index notes_by_mentioning_epic on notes (mentioning_epic_id) where mentioning_epic_id is not null;
-- Each mention is recorded once.
create unique index notes_by_mention on notes (
  coalesce(issue_id, 0),
  coalesce(merge_request_id, 0),
  coalesce(epic_id, 0),
  coalesce(mentioning_issue_id, 0),
  coalesce(mentioning_merge_request_id, 0),
  coalesce(mentioning_epic_id, 0)
) where kind = 'mention';
-- The merge requests that mention an issue.
create index notes_by_issue_mentioning on notes (issue_id, mentioning_merge_request_id)
  where mentioning_merge_request_id is not null;
create index notes_by_issue_discussion on notes (issue_id, discussion_id, created_at, id) where issue_id is not null;
create index notes_by_merge_request_discussion on notes (merge_request_id, discussion_id, created_at, id)
  where merge_request_id is not null;
create index notes_by_epic_discussion on notes (epic_id, discussion_id, created_at, id) where epic_id is not null;
create index notes_by_commented_commit_discussion on notes (commented_commit_id, discussion_id, created_at, id)
  where commented_commit_id is not null;
create index notes_by_commented_commit on notes (commented_commit_id, created_at, id)
  where commented_commit_id is not null;
create index notes_by_resolver on notes (resolved_by_id) where resolved_by_id is not null;
-- Unresolved threads, which block a merge if the project requires all threads to be resolved.
create index notes_open_by_merge_request on notes (merge_request_id)
  where merge_request_id is not null and type is not null and not system and resolved_at is null;
create index notes_by_snippet_created on notes (snippet_id, created_at, id) where snippet_id is not null;
create index notes_by_snippet_updated on notes (snippet_id, updated_at, id) where snippet_id is not null;

create table award_emoji (
  id id,
  user_id integer references users (id) on delete set null,
  name text not null,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  note_id integer references notes (id) on delete cascade,
  created_at timestamp not null,
  updated_at timestamp not null
);
-- Exactly one of the four columns is set. Rows of deleted users have a null user_id and may have the same name.
create unique index award_emoji_by_user on award_emoji
  (user_id, name, coalesce(issue_id, 0), coalesce(merge_request_id, 0), coalesce(epic_id, 0), coalesce(note_id, 0));
-- Filters by the caller's reactions read only these indexes.
create index award_emoji_by_user_issue on award_emoji (user_id, name, issue_id) where issue_id is not null;
create index award_emoji_by_user_merge_request on award_emoji (user_id, name, merge_request_id)
  where merge_request_id is not null;
create index award_emoji_by_user_epic on award_emoji (user_id, name, epic_id) where epic_id is not null;
create index award_emoji_by_issue on award_emoji (issue_id, id) where issue_id is not null;
create index award_emoji_by_merge_request on award_emoji (merge_request_id, id) where merge_request_id is not null;
create index award_emoji_by_epic on award_emoji (epic_id, id) where epic_id is not null;
create index award_emoji_by_note on award_emoji (note_id, id) where note_id is not null;

create table resource_state_events (
  id id,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  user_id integer references users (id) on delete set null,
  state text not null check (state in ('opened', 'closed', 'merged', 'locked')),
  source_commit text,
  source_merge_request_id integer references merge_requests (id) on delete set null,
  created_at timestamp not null
);
create index resource_state_events_by_issue on resource_state_events (issue_id, id) where issue_id is not null;
create index resource_state_events_by_user on resource_state_events (user_id);
create index resource_state_events_by_merge_request on resource_state_events (merge_request_id, id)
  where merge_request_id is not null;
create index resource_state_events_by_epic on resource_state_events (epic_id, id) where epic_id is not null;
create index resource_state_events_by_source on resource_state_events (source_merge_request_id)
  where source_merge_request_id is not null;

create table resource_milestone_events (
  id id,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  user_id integer references users (id) on delete set null,
  milestone_id integer references milestones (id) on delete set null,
  action text not null check (action in ('add', 'remove')),
  state text not null check (state in ('opened', 'closed', 'merged', 'locked')),
  created_at timestamp not null
);
create index resource_milestone_events_by_issue on resource_milestone_events (issue_id, id)
  where issue_id is not null;
create index resource_milestone_events_by_user on resource_milestone_events (user_id);
create index resource_milestone_events_by_milestone on resource_milestone_events (milestone_id, id);
create index resource_milestone_events_by_merge_request on resource_milestone_events (merge_request_id, id)
  where merge_request_id is not null;

create table resource_label_events (
  id id,
  user_id integer references users (id) on delete set null,
  label_id integer references labels (id) on delete set null,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  action text not null check (action in ('add', 'remove')),
  created_at timestamp not null
);
create index resource_label_events_by_issue on resource_label_events (issue_id, id) where issue_id is not null;
create index resource_label_events_by_merge_request on resource_label_events (merge_request_id, id)
  where merge_request_id is not null;
create index resource_label_events_by_epic on resource_label_events (epic_id, id) where epic_id is not null;
create index resource_label_events_by_user on resource_label_events (user_id);
create index resource_label_events_by_label on resource_label_events (label_id);

create table resource_weight_events (
  id id,
  issue_id integer not null references issues (id) on delete cascade,
  user_id integer references users (id) on delete set null,
  weight integer,
  created_at timestamp not null
);
create index resource_weight_events_by_issue on resource_weight_events (issue_id, id);
create index resource_weight_events_by_user on resource_weight_events (user_id);

create table subscriptions (
  id id,
  user_id integer not null references users (id) on delete cascade,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  subscribed boolean not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index subscriptions_by_issue on subscriptions (issue_id, user_id);
create index subscriptions_by_user on subscriptions (user_id, id);
create unique index subscriptions_by_merge_request on subscriptions (merge_request_id, user_id)
  where merge_request_id is not null;
create unique index subscriptions_by_epic on subscriptions (epic_id, user_id) where epic_id is not null;

-- Each to-do item is caused by an event of an issue, a merge request or an epic, or by a comment on a commit.
create table todos (
  id id,
  user_id integer not null references users (id) on delete cascade,
  author_id integer not null references users (id),
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  commented_commit_id integer references commented_commits (id) on delete cascade,
  note_id integer references notes (id) on delete cascade,
  action text not null,
  state text not null default 'pending' check (state in ('pending', 'done')),
  created_at timestamp not null,
  updated_at timestamp not null,
  check (
    (case when issue_id is null then 0 else 1 end)
      + (case when merge_request_id is null then 0 else 1 end)
      + (case when epic_id is null then 0 else 1 end)
      + (case when commented_commit_id is null then 0 else 1 end) = 1
  )
);
create index todos_by_user on todos (user_id, state, id);
create index todos_by_author on todos (author_id);
create index todos_by_note on todos (note_id) where note_id is not null;
create index todos_by_project on todos (project_id, user_id, id) where project_id is not null;
create index todos_by_group on todos (group_id, user_id, id) where group_id is not null;
create index todos_by_issue on todos (issue_id, user_id, id) where issue_id is not null;
create index todos_by_merge_request on todos (merge_request_id, user_id, id) where merge_request_id is not null;
create index todos_by_epic on todos (epic_id, user_id, id) where epic_id is not null;
create unique index todos_pending_by_issue on todos (issue_id, user_id, action)
  where state = 'pending' and action not in ('mentioned', 'directly_addressed');
create unique index todos_pending_by_merge_request on todos (merge_request_id, user_id, action)
  where state = 'pending' and action not in ('mentioned', 'directly_addressed');
create unique index todos_pending_by_epic on todos (epic_id, user_id, action)
  where state = 'pending' and action not in ('mentioned', 'directly_addressed');
create index todos_by_commented_commit on todos (commented_commit_id, user_id, id)
  where commented_commit_id is not null;
`;
