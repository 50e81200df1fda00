import { deleteIssuablesOfGroup, EPICS, reassignIssuablesToGhost } from '../issuables/index.ts';

/** Reassigns the epics of a deleted user to the ghost user. index: epics_by_author, epics_by_closed_by */
export const onUserDeleted = reassignIssuablesToGhost(EPICS, { columns: ['author_id', 'closed_by_id'], deleted: [] });

/** Deletes the epics of a deleted group. index: epics_by_iid */
export const deleteEpicsOfGroup = deleteIssuablesOfGroup(EPICS);
