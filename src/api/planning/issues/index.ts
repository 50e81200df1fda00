import { resourceModule } from '#http/endpoint/resource-module.ts';
import {
  deleteIssuablesOfOwner,
  ISSUES,
  replaceOutOfScopeReferences,
  unassignFormerMembers,
} from '../issuables/index.ts';
import * as endpoints from './endpoints.ts';
import { removeOutOfScopeIterations } from './on-transfer.ts';

export { issueNoteable, readableIssueResource, readIssueAccess } from './access.ts';
export { type CloseReason, closeIssue, createIncident, importIssue } from './changes.ts';
export { Issue, IssueInList, type IssueListRow } from './entities.ts';
export { issuesLockKey } from './lock-key.ts';
export { issueQuickActions } from './quick-actions/update.ts';

export const issues = resourceModule({
  endpoints,
  subscriptions: [
    ...deleteIssuablesOfOwner(ISSUES),
    unassignFormerMembers(ISSUES),
    removeOutOfScopeIterations,
    replaceOutOfScopeReferences,
  ],
});
