import { ddl } from '#database/ddl.ts';
import { wordIndex } from '#database/search/trigrams.ts';
import { columnCopies } from '#database/triggers.ts';

/** Labels, milestones, iterations, issues and epics. */
export const planning = ddl`
-- One counter per kind of object in a project or group.
create table iid_counters (
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  kind text not null,
  last integer not null
);
create unique index iid_counters_by_project on iid_counters (project_id, kind);
create unique index iid_counters_by_group on iid_counters (group_id, kind);

create table labels (
  id id,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  title text not null,
  title_key text not null,
  color text not null,
  archived boolean not null default false,
  created_at timestamp not null,
  updated_at timestamp not null,
  description text,
  description_key text
);
create unique index labels_by_project on labels (project_id, title);
create unique index labels_by_group on labels (group_id, title);
create index labels_by_title on labels (title);

create table label_priorities (
  project_id integer not null references projects (id) on delete cascade,
  label_id integer not null references labels (id) on delete cascade,
  priority integer not null,
  primary key (project_id, label_id)
);
create index label_priorities_by_label on label_priorities (label_id);

create table label_subscriptions (
  id id,
  label_id integer not null references labels (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  project_id integer references projects (id) on delete cascade,
  created_at timestamp not null
);
-- Without a project, the subscription applies everywhere.
create unique index label_subscriptions_by_label on label_subscriptions (label_id, user_id, coalesce(project_id, 0));
create index label_subscriptions_by_user on label_subscriptions (user_id);
create index label_subscriptions_by_project on label_subscriptions (project_id);

create table milestones (
  id id,
  project_id integer references projects (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  iid integer not null,
  title text not null,
  title_key text not null,
  state text not null check (state in ('active', 'closed')),
  start_date text,
  due_date text,
  created_at timestamp not null,
  updated_at timestamp not null,
  description text,
  description_key text
);
create unique index milestones_by_project on milestones (project_id, iid);
create unique index milestones_by_project_title on milestones (project_id, title);
create unique index milestones_by_group on milestones (group_id, iid);
create unique index milestones_by_group_title on milestones (group_id, title);
create index milestones_by_title on milestones (title);

create table iteration_cadences (
  id id,
  group_id integer not null references namespaces (id) on delete cascade,
  title text not null,
  title_key text not null,
  description text,
  active boolean not null,
  automatic boolean not null,
  start_date text,
  duration_in_weeks integer,
  iterations_in_advance integer,
  roll_over boolean not null,
  next_run_date text,
  rolled_over_until text,
  created_at timestamp not null,
  updated_at timestamp not null
);
create index iteration_cadences_by_group on iteration_cadences (group_id, title, id);
create index iteration_cadences_by_next_run on iteration_cadences (next_run_date, group_id)
  where next_run_date is not null;

create table iterations (
  id id,
  group_id integer not null references namespaces (id) on delete cascade,
  cadence_id integer not null references iteration_cadences (id) on delete cascade,
  iid integer not null,
  title text,
  title_key text,
  description text,
  start_date text not null,
  due_date text not null,
  created_at timestamp not null,
  updated_at timestamp not null
);
create unique index iterations_by_iid on iterations (group_id, iid);
create unique index iterations_by_title on iterations (title, cadence_id) where title is not null;
create index iterations_by_cadence on iterations (cadence_id, start_date, due_date);
-- Current and upcoming iterations.
create index iterations_by_due_date on iterations (due_date, start_date);

create table issues (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  iid integer not null,
  title text not null,
  title_key text not null,
  author_id integer not null references users (id),
  state text not null check (state in ('opened', 'closed')),
  closed_at timestamp,
  closed_by_id integer references users (id),
  confidential boolean not null,
  discussion_locked boolean,
  issue_type text not null,
  severity text not null default 'unknown' check (severity in ('unknown', 'low', 'medium', 'high', 'critical')),
  start_date text,
  due_date text,
  weight integer,
  relative_position integer not null,
  time_estimate integer not null default 0,
  total_time_spent integer not null default 0,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  user_notes_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  milestone_id integer references milestones (id) on delete set null,
  iteration_id integer references iterations (id) on delete set null,
  moved_to_id integer references issues (id) on delete set null,
  duplicated_to_id integer references issues (id) on delete set null,
  imported_from text not null default 'none',
  created_at timestamp not null,
  updated_at timestamp not null,
  description text,
  description_key text
);
create unique index issues_by_iid on issues (project_id, iid);
create index issues_by_author on issues (author_id, id);
create index issues_by_closed_by on issues (closed_by_id, id);
create index issues_by_milestone on issues (milestone_id, id);
create index issues_by_moved_to on issues (moved_to_id, id);
-- Partial, because few issues are duplicates.
create index issues_by_duplicated_to on issues (duplicated_to_id, id) where duplicated_to_id is not null;
-- Covering indexes for the sort orders of lists. They contain the columns that most lists filter by, so that skipped
-- issues cost no row lookup.
create index issues_by_created_at on issues (project_id, created_at, id, state, confidential, author_id);
create index issues_by_updated_at on issues (project_id, updated_at, id, state, confidential, author_id);
create index issues_by_title on issues (project_id, title_key, id, state, confidential, author_id);
create index issues_by_upvotes on issues (project_id, upvotes, id, state, confidential, author_id);
-- Nulls come last in both directions; the descending order scans its index backwards.
create index issues_by_due_date_asc on issues
  (project_id, (due_date is null), due_date, id, state, confidential, author_id);
create index issues_by_due_date_desc on issues
  (project_id, (due_date is not null), due_date, id, state, confidential, author_id);
create index issues_by_weight_asc on issues
  (project_id, (weight is null), weight, id, state, confidential, author_id);
create index issues_by_weight_desc on issues
  (project_id, (weight is not null), weight, id, state, confidential, author_id);
create index issues_by_project_author on issues (project_id, author_id, state);
create index issues_by_project_milestone on issues (project_id, milestone_id, state);
-- Confidential issues, which are few.
create index issues_confidential on issues (project_id, id, confidential) where confidential;
create index issues_by_project_state on issues (project_id, state, confidential);
create index issues_of_all_by_created_at on issues (created_at, id, project_id, state, confidential, author_id);
create index issues_of_all_by_updated_at on issues (updated_at, id, project_id, state, confidential, author_id);
create index issues_by_iteration on issues (iteration_id, state, id) where iteration_id is not null;
create index issues_by_project_iteration on issues (project_id, iteration_id, state) where iteration_id is not null;
-- Covering, as for the other sort orders.
create index issues_by_position on issues (project_id, relative_position, id, state, confidential, author_id);
-- Mails about issues that are due.
create index issues_due on issues (due_date, id) where state = 'opened' and due_date is not null;
create index issues_by_project_closed_by on issues (project_id, closed_by_id);
-- Lists of all projects by popularity, with the columns that most lists filter by.
create index issues_of_all_by_upvotes on issues (upvotes, id, project_id, state, confidential, author_id);
-- Sort orders of lists of all projects. Rows without a value come last, sorted by id, so that the indexes of columns
-- with nulls need not contain them and serve both directions.
create index issues_of_all_by_title on issues (title_key, id, project_id, state, confidential, author_id);
create index issues_of_all_by_due_date on issues (due_date, id, project_id, state, confidential, author_id)
  where due_date is not null;
create index issues_of_all_by_weight on issues (weight, id, project_id, state, confidential, author_id)
  where weight is not null;
-- Issues of a rare type.
create index issues_by_other_type on issues (issue_type, project_id) where issue_type <> 'issue';
${wordIndex('issues', 'title_key', 'description_key')}

create table issue_assignees (
  -- Ids keep the order of assignment.
  id id,
  issue_id integer not null references issues (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade
);
create unique index issue_assignees_by_issue on issue_assignees (issue_id, user_id);
create index issue_assignees_by_user on issue_assignees (user_id, issue_id);

create table issue_labels (
  issue_id integer not null references issues (id) on delete cascade,
  label_id integer not null references labels (id) on delete cascade,
  -- Copies of columns of the issue, so that counts of issues per label read only an index.
  project_id integer,
  state text,
  confidential boolean,
  primary key (issue_id, label_id)
);
create index issue_labels_by_label on issue_labels (label_id, project_id, issue_id);
create index issue_labels_counted on issue_labels (label_id, project_id, state, confidential);
${columnCopies({
  table: 'issue_labels',
  key: 'issue_id',
  source: 'issues',
  columns: ['project_id', 'state', 'confidential'],
})}

create table issue_links (
  id id,
  source_id integer not null references issues (id) on delete cascade,
  target_id integer not null references issues (id) on delete cascade,
  link_type text not null check (link_type in ('relates_to', 'blocks')),
  created_at timestamp not null,
  updated_at timestamp not null
);
-- One link per pair of issues, in either direction.
create unique index issue_links_by_pair on issue_links (
  (case when source_id < target_id then source_id else target_id end),
  (case when source_id < target_id then target_id else source_id end)
);
create index issue_links_by_source on issue_links (source_id, id);
create index issue_links_by_target on issue_links (target_id, id);

create table epics (
  id id,
  group_id integer not null references namespaces (id) on delete cascade,
  iid integer not null,
  title text not null,
  title_key text not null,
  author_id integer not null references users (id),
  state text not null check (state in ('opened', 'closed')),
  closed_at timestamp,
  closed_by_id integer references users (id),
  confidential boolean not null,
  color text not null,
  parent_id integer references epics (id) on delete set null,
  dates_are_fixed boolean not null,
  start_date_fixed text,
  due_date_fixed text,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  user_notes_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  imported_from text not null default 'none',
  created_at timestamp not null,
  updated_at timestamp not null,
  description text,
  description_key text
);
create unique index epics_by_iid on epics (group_id, iid);
create index epics_by_author on epics (author_id, id);
create index epics_by_closed_by on epics (closed_by_id, id);
create index epics_by_parent on epics (parent_id, id);
-- Sort orders of lists.
create index epics_by_created_at on epics (group_id, created_at, id);
create index epics_by_updated_at on epics (group_id, updated_at, id);
create index epics_by_title on epics (group_id, title_key, id);
${wordIndex('epics', 'title_key', 'description_key')}

create table epic_labels (
  epic_id integer not null references epics (id) on delete cascade,
  label_id integer not null references labels (id) on delete cascade,
  primary key (epic_id, label_id)
);
create index epic_labels_by_label on epic_labels (label_id, epic_id);

create table epic_issues (
  id id,
  epic_id integer not null references epics (id) on delete cascade,
  issue_id integer not null references issues (id) on delete cascade,
  relative_position integer not null
);
create unique index epic_issues_by_issue on epic_issues (issue_id);
create index epic_issues_by_epic on epic_issues (epic_id, relative_position, id);
`;
