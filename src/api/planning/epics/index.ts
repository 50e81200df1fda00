import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { epicsEnd, epicsToGhost } from './leaving.ts';

export { usingEpic } from './access.ts';
// What other families may use of epics.
export { commandedEpics } from './commanded.ts';
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
} from './relation.ts';
export { type EpicOfIssueRow, epicsSeenBy } from './seen.ts';
export { epicThing } from './thing.ts';

export const epics = family({ endpoints, subscriptions: [epicsEnd, epicsToGhost] });
