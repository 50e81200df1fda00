import { family } from '../../../http/endpoint/family.ts';
import { bringIntoReach } from '../issuables/index.ts';
import * as endpoints from './endpoints.ts';
import { issuesEnd, issuesToGhost, unassignLeavers } from './leaving.ts';
import { loseIterations } from './lose-iterations.ts';

export { readableIssue, readingIssue } from './access.ts';
export { type ClosedBy, closeIssue } from './close.ts';
// What other families may use of issues.
export { commandedIssues } from './commanded.ts';
export { Issue, IssueInList, type IssueListed } from './entities.ts';
export { importIssue } from './import.ts';
export { fileIncident } from './incident.ts';
export { issueThing } from './thing.ts';
export { issuesTurn } from './turn.ts';

export const issues = family({
  endpoints,
  subscriptions: [issuesEnd, issuesToGhost, unassignLeavers, loseIterations, bringIntoReach],
});
