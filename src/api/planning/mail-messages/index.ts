import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUpMails, cleanUpMailsDaily } from './delivery/cleanup.ts';
import { deliverMails, deliverMailsRegularly } from './delivery/deliver.ts';
import { notifyOfDueIssues, notifyOfDueIssuesDaily } from './due-issues.ts';
import * as endpoints from './endpoints.ts';
import { notifyUsers, onNotifiableEvent, onProjectMoved } from './notify.ts';
import { onTextUpdated } from './on-text-edited.ts';

// Public interface for other resources.
export { enqueueSystemNotification, isMailEnabled } from './notify.ts';
export { findMentions, findUserIdsByUsernames } from './recipients/mentioned-users.ts';
export { listDigestTargets } from './store.ts';
export { findNoteableSubject, type NoteableSubject } from './subjects/noteable.ts';
export { findTargetReaders } from './subjects/target-readers.ts';

/**
 * Notification mails. The domain event `notifiable-event-occurred` enqueues one job per event if mails are enabled
 * (`HEARTH_MAIL_DELIVERY`). The job (`notify.ts`) reads candidates in batches ordered by id (`candidates.ts`). It checks the settings
 * and the access of each candidate (`recipients.ts`) by the rules of the contract (`notification-rules.ts`). It writes one row per event
 * and user, even if it runs twice. One delivery job across all processes sends due mails (`deliver.ts`): it leases rows and checks access
 * again. An address gets 60 mails an hour; the rest becomes a digest (`hourly-limit.ts`). Failures are retried later. The SMTP client
 * is loaded with the first mail.
 */
export const mailMessages = resourceModule({
  endpoints,
  jobs: [notifyUsers, deliverMails, notifyOfDueIssues, cleanUpMails],
  schedules: [deliverMailsRegularly, notifyOfDueIssuesDaily, cleanUpMailsDaily],
  subscriptions: [onNotifiableEvent, onProjectMoved, onTextUpdated],
});
