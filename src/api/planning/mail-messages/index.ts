import { family } from '../../../http/endpoint/family.ts';
import { deliver, deliverOften } from './deliver.ts';
import { tellOfDueIssues, tellOfDueIssuesDaily } from './due.ts';
import * as endpoints from './endpoints.ts';
import { forgetMails } from './forget.ts';
import { rememberNamedInEdits } from './reworded.ts';
import { sweepMails, sweepMailsDaily } from './sweep.ts';
import { tell, tellOfMoves, tellOfOccurrences } from './tell.ts';

// What other families may use of mails.
export { findToldAlert } from './alert.ts';
export { namedIn, usersAt } from './names.ts';
export { targetsOfDigest } from './store.ts';
export { tellBySelf, writesMails } from './tell.ts';
export { findTold, type Told } from './things.ts';

/**
 * What users may be told of is the fact `occurred`: acts tell it of what they record, or publish it (`facts/occurrences.ts`). Where
 * mails are on (`HEARTH_MAIL_DELIVERY`) it leaves one piece of work in the act, however many are to be told, and otherwise nothing.
 * That work (`api/planning/mail-messages/tell.ts`) finds those who may be told, 500 at a time in the order of their ids
 * (`audience.ts`), asks of each what he has chosen and whether he may read it now (`recipients.ts`; `judge.ts` is the contract's
 * table, pure), and writes a row for him: once for an occurrence and user, whatever is done twice. One piece of work in all processes
 * sends what is due (`deliver.ts`): rows are leased, access is asked again, sixty mails an hour go to one address and the rest
 * in one (`limit.ts`), what fails comes back later. What speaks SMTP is loaded with the first mail.
 */
export const mailMessages = family({
  endpoints,
  jobs: [tell, deliver, tellOfDueIssues, sweepMails],
  schedules: [deliverOften, tellOfDueIssuesDaily, sweepMailsDaily],
  subscriptions: [tellOfOccurrences, tellOfMoves, rememberNamedInEdits, forgetMails],
});
