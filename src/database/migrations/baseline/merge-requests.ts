import { ddl } from '#database/ddl.ts';
import { wordIndex } from '#database/search/trigrams.ts';
import { columnCopies } from '#database/triggers.ts';

/** Merge requests, their versions and approvals, and the intents of ref updates, which may complete a merge. */
export const mergeRequests = ddl`
create table merge_requests (
  id id,
  project_id integer not null references projects (id) on delete cascade,
  iid integer not null,
  title text not null,
  title_key text not null,
  author_id integer not null references users (id),
  state text not null check (state in ('opened', 'closed', 'merged', 'locked')),
  draft boolean not null,
  source_branch text not null,
  target_branch text not null,
  head_sha text not null,
  closed_at timestamp,
  closed_by_id integer references users (id),
  merged_at timestamp,
  merged_by_id integer references users (id),
  merge_commit_sha text,
  squash_commit_sha text,
  merged_sha text,
  merge_error text,
  merge_status text not null check (merge_status in ('unchecked', 'checking', 'can_be_merged', 'cannot_be_merged')),
  merge_check text check (merge_check in ('no_commits', 'conflict', 'diverged', 'ahead')),
  merge_after timestamp,
  -- Whether users were notified of the conflict, so that they are notified once.
  conflict_notified boolean not null default false,
  squash boolean not null,
  should_remove_source_branch boolean,
  force_remove_source_branch boolean,
  discussion_locked boolean,
  time_estimate integer not null default 0,
  total_time_spent integer not null default 0,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  user_notes_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  milestone_id integer references milestones (id) on delete set null,
  imported_from text not null default 'none',
  created_at timestamp not null,
  updated_at timestamp not null,
  description text,
  description_key text
);
create unique index merge_requests_by_iid on merge_requests (project_id, iid);
-- Only one open merge request may exist for the same branches.
create unique index merge_requests_open_by_branches on merge_requests (project_id, source_branch, target_branch)
  where state = 'opened';
create index merge_requests_by_author on merge_requests (author_id, id);
create index merge_requests_by_closed_by on merge_requests (closed_by_id, id);
create index merge_requests_by_merged_by on merge_requests (merged_by_id, id);
create index merge_requests_by_milestone on merge_requests (milestone_id, id);
-- The merge requests that a push affects.
create index merge_requests_open_by_target on merge_requests (project_id, target_branch, head_sha)
  where state = 'opened';
-- Partial, because merge requests that were never checked need no reset when their target branch moves.
create index merge_requests_checked on merge_requests (project_id, target_branch)
  where state = 'opened' and merge_status <> 'unchecked';
create index merge_requests_unchecked on merge_requests (project_id, id)
  where state = 'opened' and merge_status = 'unchecked';
-- Covering indexes for the sort orders of lists. They contain the columns that most lists filter by, so that skipped
-- rows cost no lookup.
create index merge_requests_by_created_at on merge_requests (project_id, created_at, id, state, draft, author_id);
create index merge_requests_by_updated_at on merge_requests (project_id, updated_at, id, state, draft, author_id);
create index merge_requests_by_title on merge_requests (project_id, title_key, id, state, draft, author_id);
-- Nulls come last in both directions; the descending order scans its index backwards.
create index merge_requests_by_merged_at_asc on merge_requests
  (project_id, (merged_at is null), merged_at, id, state, draft, author_id);
create index merge_requests_by_merged_at_desc on merge_requests
  (project_id, (merged_at is not null), merged_at, id, state, draft, author_id);
create index merge_requests_by_project_author on merge_requests (project_id, author_id, state);
create index merge_requests_by_project_milestone on merge_requests (project_id, milestone_id, state);
-- Drafts, which are few.
create index merge_requests_drafts on merge_requests (project_id, id, draft) where draft;
create index merge_requests_by_project_state on merge_requests (project_id, state, draft);
create index merge_requests_by_source_branch on merge_requests (source_branch, project_id);
create index merge_requests_by_target_branch on merge_requests (target_branch, project_id);
create index merge_requests_of_all_by_created_at on merge_requests
  (created_at, id, project_id, state, draft, author_id);
create index merge_requests_of_all_by_updated_at on merge_requests
  (updated_at, id, project_id, state, draft, author_id);
-- The merge requests of a deployment, by its commits.
create index merge_requests_by_merge_commit on merge_requests (project_id, merge_commit_sha)
  where merge_commit_sha is not null;
create index merge_requests_by_squash_commit on merge_requests (project_id, squash_commit_sha)
  where squash_commit_sha is not null;
create index merge_requests_merged_by_head on merge_requests (project_id, head_sha) where state = 'merged';
create index merge_requests_by_project_merged_by on merge_requests (project_id, merged_by_id);
-- Covering, as for the other sort orders.
create index merge_requests_by_upvotes on merge_requests (project_id, upvotes, id, state, draft, author_id);
-- Lists of all projects by popularity, with the columns that most lists filter by.
create index merge_requests_of_all_by_upvotes on merge_requests (upvotes, id, project_id, state, draft, author_id);
-- Sort orders of lists of all projects. Rows without a value come last, sorted by id, so that the index of a column
-- with nulls need not contain them and serves both directions.
create index merge_requests_of_all_by_title on merge_requests (title_key, id, project_id, state, draft, author_id);
create index merge_requests_of_all_by_merged_at on merge_requests (merged_at, id, project_id, state, draft, author_id)
  where merged_at is not null;
${wordIndex('merge_requests', 'title_key', 'description_key')}

create table merge_request_assignees (
  -- Ids keep the order of assignment.
  id id,
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade
);
create unique index merge_request_assignees_by_merge_request on merge_request_assignees (merge_request_id, user_id);
create index merge_request_assignees_by_user on merge_request_assignees (user_id, merge_request_id);

create table merge_request_reviewers (
  -- Ids keep the order of assignment.
  id id,
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  state text not null default 'unreviewed',
  created_at timestamp
);
create unique index merge_request_reviewers_by_merge_request on merge_request_reviewers (merge_request_id, user_id);
create index merge_request_reviewers_by_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_labels (
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  label_id integer not null references labels (id) on delete cascade,
  -- Copy of the column of the merge request, so that labels of an ancestor group find those of one project.
  project_id integer,
  primary key (merge_request_id, label_id)
);
create index merge_request_labels_by_label on merge_request_labels (label_id, project_id, merge_request_id);
${columnCopies({
  table: 'merge_request_labels',
  key: 'merge_request_id',
  source: 'merge_requests',
  columns: ['project_id'],
})}

create table merge_request_versions (
  id id,
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  head_commit_sha text not null,
  base_commit_sha text,
  start_commit_sha text,
  patch_id_sha text,
  state text check (state in ('empty', 'collected', 'overflow')),
  real_size text,
  -- Whether a ref keeps the head reachable, so that each version is processed only once.
  has_keep_ref boolean not null default false,
  created_at timestamp not null
);
create index merge_request_versions_by_merge_request on merge_request_versions (merge_request_id, id);

-- The iids of the issues that a merge request closes, so that an issue that is created later is closed too.
create table merge_request_closing_iids (
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  project_id integer not null,
  issue_iid integer not null,
  primary key (merge_request_id, issue_iid)
);
create index merge_request_closing_iids_by_issue on merge_request_closing_iids
  (project_id, issue_iid, merge_request_id);

create table merge_request_approvals (
  id id,
  merge_request_id integer not null references merge_requests (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  created_at timestamp not null
);
create unique index merge_request_approvals_by_merge_request on merge_request_approvals (merge_request_id, user_id);
create index merge_request_approvals_by_user on merge_request_approvals (user_id, merge_request_id);

create table merge_request_auto_merges (
  merge_request_id integer primary key references merge_requests (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  options json not null,
  created_at timestamp not null
);
create index merge_request_auto_merges_by_user on merge_request_auto_merges (user_id, merge_request_id);

create table merge_request_rebases (
  merge_request_id integer primary key references merge_requests (id) on delete cascade,
  user_id integer not null references users (id) on delete cascade,
  head_sha text not null,
  skip_ci boolean not null,
  lease_until timestamp not null
);
create index merge_request_rebases_by_user on merge_request_rebases (user_id, merge_request_id);

-- A merge request becomes merged only after its refs were updated, and of several concurrent merges the first one
-- succeeds. There is no index of leases: each ref update would have to write it, and the few abandoned intents are
-- read by id.
create table ref_intents (
  id id,
  project_id integer references projects (id) on delete cascade,
  wiki_id integer references wikis (wiki_id) on delete cascade,
  snippet_id integer references snippets (id) on delete cascade,
  user_id integer,
  changes json not null,
  merge_request_id integer references merge_requests (id) on delete set null,
  merge json,
  -- The push options, because another process may complete the intent.
  options json,
  renamed json,
  snippet_patch json,
  lease_until timestamp not null,
  created_at timestamp not null,
  check (
    (case when project_id is null then 0 else 1 end)
      + (case when wiki_id is null then 0 else 1 end)
      + (case when snippet_id is null then 0 else 1 end) = 1
  )
);
create index ref_intents_by_project on ref_intents (project_id);
create index ref_intents_by_wiki on ref_intents (wiki_id);
create index ref_intents_by_snippet on ref_intents (snippet_id);
create index ref_intents_by_user on ref_intents (user_id);
create unique index ref_intents_by_merge_request on ref_intents (merge_request_id) where merge_request_id is not null;
`;
