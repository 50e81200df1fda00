import { EPICS, endWithGroup, handToGhost } from '../issuables/index.ts';

/** What becomes of epics when people go, or the group. */

/** index: epics_by_author, epics_by_closed_by */
export const epicsToGhost = handToGhost(EPICS, { columns: ['author_id', 'closed_by_id'], lost: [] });

/** index: epics_by_iid */
export const epicsEnd = endWithGroup(EPICS);
