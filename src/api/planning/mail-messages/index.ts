import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { cleanUpMails, cleanUpMailsDaily } from './delivery/changes.ts';
import { deliverMails, deliverMailsRegularly } from './delivery/deliver.ts';
import * as endpoints from './endpoints.ts';
import {
  isMailEnabled,
  notifyOfDueIssues,
  notifyOfDueIssuesDaily,
  notifyUsers,
  onNotifiableEvent,
  onProjectMoved,
} from './notify.ts';
import { findMentionedUserIds } from './recipients/mentioned-users.ts';
import { insertMentions } from './store.ts';
import { findTargetReaders } from './subjects/noteable.ts';

/**
 * Records the users mentioned in an edited text as participants, without a mail. For an internal comment, records only
 * users who may read it.
 */
const onTextUpdated = defineSubscription({
  event: 'text-updated',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { about: target, field, text, internal }) {
    if (field === 'title') return;
    const mentionedIds = await findMentionedUserIds(uow, text);
    if (mentionedIds.length === 0) return;
    const readers = internal ? await findTargetReaders(uow, target) : null;
    await insertMentions(
      uow,
      target,
      readers === null ? mentionedIds : await readers.filterReaders(uow, mentionedIds, internal),
    );
  },
});

// Public interface for other resources.
export { enqueueSystemNotification, isMailEnabled } from './notify.ts';
export { findMentions, findUserIdsByUsernames } from './recipients/mentioned-users.ts';
export { listDigestTargets } from './store.ts';
export { findNoteableSubject, findTargetReaders, type NoteableSubject } from './subjects/noteable.ts';

/**
 * Notification mails. The domain event `notifiable-event-occurred` enqueues one job per event if mails are enabled
 * (`HEARTH_MAIL_DELIVERY`). The job (`notify.ts`) reads candidates in batches ordered by id (`candidates.ts`). It checks the settings
 * and the access of each candidate (`recipients.ts`) by the rules of the contract (`notification-rules.ts`). It writes one row per event
 * and user, even if it runs twice. One delivery job across all processes sends due mails (`deliver.ts`): it leases rows and checks access
 * again. An address gets 60 mails an hour; the rest becomes a digest. Failures are retried later. The SMTP client
 * is loaded with the first mail.
 */
export const mailMessages = resourceModule({
  endpoints,
  jobs: [notifyUsers, deliverMails, notifyOfDueIssues, cleanUpMails],
  schedules: [deliverMailsRegularly, notifyOfDueIssuesDaily, cleanUpMailsDaily],
  subscriptions: [onNotifiableEvent, onProjectMoved, onTextUpdated],
});
