// What other families may use of groups.

export { destroyGroup, destroyGroupBySteps, destroyMarkedGroups, destroyMarkedGroupsDaily } from './destroy.ts';
export { GroupDetail } from './entities.ts';
export { presentGroup } from './present.ts';
