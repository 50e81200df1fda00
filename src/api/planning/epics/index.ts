import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { epicsEnd, epicsToGhost } from './on-delete.ts';

export { usingEpic } from './access.ts';
export { EpicInList, EpicOfIssue } from './entities.ts';
export { adoptEpic, importEpic } from './import.ts';
export {
  type Association,
  associationsOf,
  findAssociation,
  handOnEpic,
  type IssueInProject,
  isInArchived,
  joinEpic,
  lineOf,
  relate,
  unrelate,
} from './issue-associations.ts';
export { type EpicOfIssueRow, epicsSeenBy } from './issue-epics.ts';
export { epicThing } from './noteable.ts';
// What other families may use of epics.
export { commandedEpics } from './quick-actions/update.ts';

export const epics = family({ endpoints, subscriptions: [epicsEnd, epicsToGhost] });
