import { deleteIssuablesOfGroup, EPICS, reassignToGhost } from '../issuables/index.ts';

/** Deletion of epics with their group or author. */

/** index: epics_by_author, epics_by_closed_by */
export const onUserDeleted = reassignToGhost(EPICS, { columns: ['author_id', 'closed_by_id'], deleted: [] });

/** index: epics_by_iid */
export const deleteEpicsOfGroup = deleteIssuablesOfGroup(EPICS);
