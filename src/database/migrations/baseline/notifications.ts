import { ddl } from '#database/ddl.ts';

/** Notification settings, and queued and sent mails. */
export const notifications = ddl`
create table notification_settings (
  id id,
  user_id integer not null references users (id) on delete cascade,
  group_id integer references namespaces (id) on delete cascade,
  project_id integer references projects (id) on delete cascade,
  level text not null check (level in ('disabled', 'participating', 'watch', 'global', 'mention', 'custom')),
  new_release boolean,
  new_note boolean,
  new_issue boolean,
  reopen_issue boolean,
  close_issue boolean,
  reassign_issue boolean,
  issue_due boolean,
  new_merge_request boolean,
  push_to_merge_request boolean,
  reopen_merge_request boolean,
  close_merge_request boolean,
  reassign_merge_request boolean,
  change_reviewer_merge_request boolean,
  merge_merge_request boolean,
  failed_pipeline boolean,
  fixed_pipeline boolean,
  success_pipeline boolean,
  moved_project boolean,
  merge_when_pipeline_succeeds boolean,
  new_epic boolean,
  approver boolean,
  created_at timestamp not null,
  updated_at timestamp not null,
  check (group_id is null or project_id is null)
);
create unique index notification_settings_everywhere on notification_settings (user_id)
  where group_id is null and project_id is null;
create unique index notification_settings_by_group on notification_settings (group_id, user_id);
create unique index notification_settings_by_project on notification_settings (project_id, user_id);
create index notification_settings_by_user on notification_settings (user_id);
-- Settings at level watch or custom, or at global, which may inherit one of these.
create index notification_settings_curious_everywhere on notification_settings (user_id)
  where group_id is null and project_id is null and level in ('watch', 'custom');
create index notification_settings_curious_group on notification_settings (group_id, user_id)
  where group_id is not null and level in ('watch', 'custom', 'global');
create index notification_settings_curious_project on notification_settings (project_id, user_id)
  where project_id is not null and level in ('watch', 'custom', 'global');

create table mail_occurrences (
  id id,
  key text not null,
  note_id integer,
  lead text not null,
  content text not null,
  path text not null,
  created_at timestamp not null
);
create unique index mail_occurrences_by_key on mail_occurrences (key);
create index mail_occurrences_by_created_at on mail_occurrences (created_at, id);

create table mail_messages (
  id id,
  occurrence_id integer not null references mail_occurrences (id) on delete cascade,
  state text not null check (state in ('held', 'queued', 'sending', 'sent', 'failed', 'skipped')),
  event text not null,
  reason text,
  mention boolean not null,
  recipient_id integer not null references users (id) on delete cascade,
  recipient_email text not null,
  -- No foreign keys: project, group and target may be deleted before the mail, and very many mails may refer to one
  -- of them.
  project_id integer,
  group_id integer,
  target_type text not null,
  target_id integer not null,
  subject text not null,
  message_id text not null,
  in_reply_to text,
  attempts integer not null default 0,
  last_error text,
  next_attempt_at timestamp not null,
  lease_until timestamp,
  digest_id integer,
  created_at timestamp not null,
  sent_at timestamp,
  settled_at timestamp
);
create unique index mail_messages_by_occurrence on mail_messages (occurrence_id, recipient_id);
create index mail_messages_by_recipient on mail_messages (recipient_id, id);
create index mail_messages_by_project on mail_messages (project_id, id);
create index mail_messages_by_event on mail_messages (event, id);
create index mail_messages_by_state on mail_messages (state, id);
create index mail_messages_by_target on mail_messages (target_id, target_type, id);
create index mail_messages_due on mail_messages (next_attempt_at, id) where state = 'queued';
create index mail_messages_leased on mail_messages (lease_until, id) where state = 'sending';
create index mail_messages_waiting on mail_messages (recipient_email, id) where state = 'queued';
create index mail_messages_of_digest on mail_messages (digest_id, recipient_id) where digest_id is not null;
create index mail_messages_sent on mail_messages (recipient_email, sent_at) where sent_at is not null;
create index mail_messages_settled on mail_messages (settled_at, id) where settled_at is not null;

-- Users who were mentioned, and therefore get mails about further comments.
create table mail_mentions (
  user_id integer not null references users (id) on delete cascade,
  issue_id integer references issues (id) on delete cascade,
  merge_request_id integer references merge_requests (id) on delete cascade,
  epic_id integer references epics (id) on delete cascade,
  commented_commit_id integer references commented_commits (id) on delete cascade
);
create index mail_mentions_by_user on mail_mentions (user_id);
create unique index mail_mentions_by_issue on mail_mentions (issue_id, user_id) where issue_id is not null;
create unique index mail_mentions_by_merge_request on mail_mentions (merge_request_id, user_id)
  where merge_request_id is not null;
create unique index mail_mentions_by_epic on mail_mentions (epic_id, user_id) where epic_id is not null;
create unique index mail_mentions_by_commented_commit on mail_mentions (commented_commit_id, user_id)
  where commented_commit_id is not null;
`;
