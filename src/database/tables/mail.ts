import type { Generated } from 'kysely';
import { EMAIL_EVENTS } from './notification-settings.ts';

/** Mails: what they tell of, to whom, and who is named where (contract/activity.md Part 5). */
export interface MailTables {
  mail_occurrences: MailOccurrencesTable;
  mail_messages: MailMessagesTable;
  mail_mentions: MailMentionsTable;
}

export const MAIL_STATES = ['held', 'queued', 'sending', 'sent', 'failed', 'skipped'] as const;
export type MailState = (typeof MAIL_STATES)[number];

export const MAIL_TARGETS = ['Issue', 'MergeRequest', 'Epic', 'Project', 'Pipeline', 'Alert'] as const;
export type MailTarget = (typeof MAIL_TARGETS)[number];

/** What a project has chosen to have told of, whoever answers for it: no event that users choose. */
const ALERT_EVENTS = ['alert_triggered', 'alert_resolved'] as const;
export const MAIL_EVENTS = [...EMAIL_EVENTS, ...ALERT_EVENTS] as const;
export type AlertMailEvent = (typeof ALERT_EVENTS)[number];
export type MailEvent = (typeof MAIL_EVENTS)[number];

export type MailReason = 'assigned' | 'review_requested' | 'mentioned' | 'subscribed';

/** What happened, and what all mails of it say alike. What it is about may be gone meanwhile: nothing is referred to. */
interface MailOccurrencesTable {
  id: Generated<number>;
  /** Of several who write it down one does. */
  key: string;
  /** Of a comment that it tells of. */
  note_id: number | null;
  /** `Mira Holt commented:` */
  lead: string;
  content: string;
  /** Below the server's address, with a slash. */
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
  /** Its recipient was told as one who is named: that counts although he wants to hear no more of it. */
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
  /** Not before this moment, while it is queued. */
  next_attempt_at: string;
  /** Until then whoever sends it has it for himself. */
  lease_until: string | null;
  /** It was one too many for its address, and goes with others in one: the first of those, when it was sent of those that left with it. */
  digest_id: number | null;
  created_at: string;
  sent_at: string | null;
  /** When it was sent or skipped, from which on it is kept for a while. */
  settled_at: string | null;
}

/** Who takes part in a thing because somebody has named him there. */
interface MailMentionsTable {
  user_id: number;
  issue_id: number | null;
  merge_request_id: number | null;
  epic_id: number | null;
}
