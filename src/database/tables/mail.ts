import type { Generated } from 'kysely';
import { EMAIL_EVENTS } from './notification-settings.ts';

/** Mails, the events that they report, and mentioned users (contract/activity.md Part 5). */
export interface MailTables {
  mail_occurrences: MailOccurrencesTable;
  mail_messages: MailMessagesTable;
  mail_mentions: MailMentionsTable;
}

export const MAIL_STATES = ['held', 'queued', 'sending', 'sent', 'failed', 'skipped'] as const;
export type MailState = (typeof MAIL_STATES)[number];

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

/** An event and the common content of its mails. It has no foreign keys, because the referenced rows may be deleted. */
interface MailOccurrencesTable {
  id: Generated<number>;
  /** Unique key of the event: of several processes that insert it, one succeeds. */
  key: string;
  /** The comment that the mail is about. */
  note_id: number | null;
  /** Introduction, such as `Mira Holt commented:`. */
  lead: string;
  content: string;
  /** Path relative to the base URL, with a leading slash. */
  path: string;
  created_at: string;
}

/** One mail to one user. */
interface MailMessagesTable {
  id: Generated<number>;
  occurrence_id: number;
  state: MailState;
  event: MailEvent;
  reason: MailReason | null;
  /** Whether the recipient was mentioned, which overrides an unsubscription. */
  mention: boolean;
  recipient_id: number;
  recipient_email: string;
  project_id: number | null;
  group_id: number | null;
  target_type: MailTarget;
  target_id: number;
  subject: string;
  message_id: string;
  in_reply_to: string | null;
  attempts: Generated<number>;
  last_error: string | null;
  /** Earliest time of sending while queued. */
  next_attempt_at: string;
  /** End of the lease of the process that sends the mail. */
  lease_until: string | null;
  /** Id of the digest that contains the mail, because its address exceeded the hourly limit: the id of the digest's first mail. */
  digest_id: number | null;
  created_at: string;
  sent_at: string | null;
  /** When the mail was sent or skipped. It is deleted when the retention period ends. */
  settled_at: string | null;
}

/** Users who participate in an object because they were mentioned in it. */
interface MailMentionsTable {
  user_id: number;
  issue_id: number | null;
  merge_request_id: number | null;
  epic_id: number | null;
  commented_commit_id: number | null;
}
