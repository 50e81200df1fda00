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
export { targetsOfDigest } from './store.ts';
export { tellBySelf, writesMails } from './tell.ts';

export const mailMessages = family({
  endpoints,
  jobs: [tell, deliver, tellOfDueIssues, sweepMails],
  schedules: [deliverOften, tellOfDueIssuesDaily, sweepMailsDaily],
  subscriptions: [tellOfOccurrences, tellOfMoves, rememberNamedInEdits, forgetMails],
});
