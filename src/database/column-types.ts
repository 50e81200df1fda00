// Types of text columns whose values no check constraint lists, and lists of these values. Other code imports them from
// schema.ts.

/** The events of notification mails, in the order in which they are shown (contract/activity.md Part 2). */
export const EMAIL_EVENTS = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
  'approver',
] as const;
export type EmailEvent = (typeof EMAIL_EVENTS)[number];

/** An action as the feed shows it: the `action_name` of the API. */
export type ActivityActionName =
  | 'opened'
  | 'closed'
  | 'accepted'
  | 'approved'
  | 'destroyed'
  | 'commented on'
  | 'created'
  | 'updated'
  | 'imported'
  | 'joined'
  | 'left'
  | 'removed due to membership expiration from'
  | 'pushed new'
  | 'pushed to'
  | 'deleted';
export type ActivityTargetType =
  | 'Issue'
  | 'MergeRequest'
  | 'Milestone'
  | 'Note'
  | 'DiscussionNote'
  | 'DiffNote'
  | 'Project'
  | 'WikiPage::Meta';
export type ImportedFrom = 'none' | 'gitlab_migration';

export type TrackerState =
  | 'created'
  | 'enqueued'
  | 'started'
  | 'finished'
  | 'failed'
  | 'skipped'
  | 'timeout'
  | 'canceled';
export const ENTITY_TYPES = ['group_entity', 'project_entity'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

export type Visibility = 'private' | 'internal' | 'public';

export type DeploymentStatus = 'created' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked';

/** Type of a report: `error` with an exception, `default` with a message only. */
export type ErrorType = 'error' | 'default';
export type ErrorLevel = 'fatal' | 'error' | 'warning' | 'info' | 'debug';
export type SessionBucket = 'exited' | 'errored' | 'crashed' | 'abnormal';

export type IidKind =
  | 'issue'
  | 'merge_request'
  | 'milestone'
  | 'epic'
  | 'iteration'
  | 'pipeline'
  | 'deployment'
  | 'alert';

export type IssueState = 'opened' | 'closed';
export type IssueType = 'issue' | 'incident' | 'task' | 'test_case';

/** Types of objects that mails are about. The id of a `Commit` is that of its row in `commented_commits`. */
export const MAIL_TARGETS = ['Issue', 'MergeRequest', 'Epic', 'Commit', 'Project', 'Pipeline', 'Alert'] as const;
export type MailTarget = (typeof MAIL_TARGETS)[number];
/** Targets from which users can unsubscribe. Mails about other targets end with the mails of their project. */
export type UnsubscribableTarget = Exclude<MailTarget, 'Commit' | 'Pipeline' | 'Alert'>;
/** Events that a project setting enables for the responsible users; users cannot choose them. */
const ALERT_EVENTS = ['alert_triggered', 'alert_resolved'] as const;
export const MAIL_EVENTS = [...EMAIL_EVENTS, ...ALERT_EVENTS] as const;
export type AlertMailEvent = (typeof ALERT_EVENTS)[number];
export type MailEvent = (typeof MAIL_EVENTS)[number];
export type MailReason = 'assigned' | 'review_requested' | 'mentioned' | 'subscribed';

export const REVIEW_STATES = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** The kind of change that a system note describes. */
export type SystemNoteKind =
  | 'title'
  | 'description'
  | 'assignee'
  | 'due_date'
  | 'confidential'
  | 'lock'
  | 'moved_to'
  | 'moved_from'
  /** A note on a duplicate, and one on the issue that it duplicates. */
  | 'duplicate'
  | 'mention'
  /** An issue was added to an epic or removed: on the epic (`child`) and on the issue (`parent`). */
  | 'child'
  | 'parent'
  /** A link between issues was added or removed: on its source (`link`) and its target (`backlink`). */
  | 'link'
  | 'backlink'
  | 'time'
  /** On merge requests only, as the following kinds. */
  | 'approval'
  | 'auto_merge'
  /** All discussions of the merge request are resolved. */
  | 'discussion'
  /** On commits only. */
  | 'tag';
/** Type of a note in a discussion. An individual comment has none. */
export type NoteType = 'DiscussionNote' | 'DiffNote';

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
export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';

/** Kinds of replicated objects. */
export type ReplicableName =
  | 'project_repository'
  | 'project_wiki_repository'
  | 'group_wiki_repository'
  | 'snippet_repository'
  | 'lfs_object'
  | 'upload'
  | 'job_artifact';

export const TODO_ACTIONS = [
  'assigned',
  'review_requested',
  'mentioned',
  'directly_addressed',
  'build_failed',
  'unmergeable',
  'marked',
] as const;
export type TodoAction = (typeof TODO_ACTIONS)[number];
