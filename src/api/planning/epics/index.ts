import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteIssuablesOfOwner, EPICS } from '../issuables/index.ts';
import * as endpoints from './endpoints.ts';

export { epicAccessWithAbility, epicNoteable } from './access.ts';
export { epicQuickActions, importEpic, setImportedParent } from './changes.ts';
export { EpicInList, EpicOfIssue } from './entities.ts';
export {
  addIssueToEpic,
  type EpicIssueAssociation,
  type EpicOfIssueRow,
  findEpicIssueAssociation,
  type IssueInProject,
  isEpicArchived,
  loadEpicIssueAssociations,
  loadVisibleEpics,
  moveEpicAssociation,
  removeIssueFromEpic,
  toEpicIssueList,
  upsertEpicIssueAssociation,
} from './issue-associations.ts';

export const epics = resourceModule({ endpoints, subscriptions: deleteIssuablesOfOwner(EPICS) });
