import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteIssuablesOfOwner, EPICS } from '../issuables/index.ts';
import * as endpoints from './endpoints.ts';

export { epicAccessWithAbility } from './access.ts';
export { importEpic, setImportedParent } from './changes.ts';
export { EpicInList, EpicOfIssue } from './entities.ts';
export {
  addIssueToEpic,
  type EpicIssueAssociation,
  findEpicIssueAssociation,
  type IssueInProject,
  isEpicArchived,
  loadEpicIssueAssociations,
  moveEpicAssociation,
  removeIssueFromEpic,
  toEpicIssueList,
  upsertEpicIssueAssociation,
} from './issue-associations.ts';
export { type EpicOfIssueRow, loadVisibleEpics } from './issue-epics.ts';
export { epicNoteable } from './noteable.ts';
export { epicQuickActions } from './quick-actions/update.ts';

export const epics = resourceModule({ endpoints, subscriptions: deleteIssuablesOfOwner(EPICS) });
