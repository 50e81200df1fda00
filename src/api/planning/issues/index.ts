import { family } from '#http/endpoint/resource-module.ts';
import { bringIntoReach } from '../issuables/index.ts';
import * as endpoints from './endpoints.ts';
import { issuesEnd, issuesToGhost, unassignLeavers } from './on-delete.ts';
import { loseIterations } from './on-transfer.ts';

export { readableIssue, readingIssue } from './access.ts';
export { type ClosedBy, closeIssue } from './close.ts';
export { fileIncident } from './create-incident.ts';
export { Issue, IssueInList, type IssueListed } from './entities.ts';
export { importIssue } from './import.ts';
export { issuesTurn } from './lock-key.ts';
export { issueThing } from './noteable.ts';
// What other families may use of issues.
export { commandedIssues } from './quick-actions/update.ts';

export const issues = family({
  endpoints,
  subscriptions: [issuesEnd, issuesToGhost, unassignLeavers, loseIterations, bringIntoReach],
});
