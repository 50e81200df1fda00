import { family } from '#http/endpoint/resource-module.ts';
import { sweepMails, sweepMailsDaily } from './delivery/cleanup.ts';
import { deliver, deliverOften } from './delivery/deliver.ts';
import { tellOfDueIssues, tellOfDueIssuesDaily } from './due-issues.ts';
import * as endpoints from './endpoints.ts';
import { tell, tellOfMoves, tellOfOccurrences } from './notify.ts';
import { forgetMails } from './on-delete.ts';
import { rememberNamedInEdits } from './on-text-edited.ts';

export { tellBySelf, writesMails } from './notify.ts';
export { namedIn, usersAt } from './recipients/mentioned-users.ts';
export { targetsOfDigest } from './store.ts';
// What other families may use of mails.
export { findToldAlert } from './subjects/alert.ts';
export { findTold, type Told } from './subjects/noteable.ts';

/**
 * What users may be told of is the fact `occurred`: acts tell it of what they record, or publish it (`events/mail-occurrences.ts`). Where
 * mails are on (`HEARTH_MAIL_DELIVERY`) it leaves one piece of work in the act, however many are to be told, and otherwise nothing.
 * That work (`api/planning/mail-messages/notify.ts`) finds those who may be told, 500 at a time in the order of their ids
 * (`candidates.ts`), asks of each what he has chosen and whether he may read it now (`recipients.ts`; `notification-rules.ts` is the contract's
 * table, pure), and writes a row for him: once for an occurrence and user, whatever is done twice. One piece of work in all processes
 * sends what is due (`deliver.ts`): rows are leased, access is asked again, sixty mails an hour go to one address and the rest
 * in one (`hourly-limit.ts`), what fails comes back later. What speaks SMTP is loaded with the first mail.
 */
export const mailMessages = family({
  endpoints,
  jobs: [tell, deliver, tellOfDueIssues, sweepMails],
  schedules: [deliverOften, tellOfDueIssuesDaily, sweepMailsDaily],
  subscriptions: [tellOfOccurrences, tellOfMoves, rememberNamedInEdits, forgetMails],
});
