import type { Job } from '../background/job.ts';
import type { Schedule } from '../background/schedules.ts';
import type { AnySubscription } from '../facts/facts.ts';
import { removeOldActivity, removeOldActivityDaily } from '../history/index.ts';
import type { Families } from '../http/registry.ts';
import type { Rooms } from '../http/rooms.ts';
import { sweepOAuth, sweepOAuthDaily } from '../identity/oauth-sweep.ts';
import { sweepSessions, sweepSessionsDaily } from '../identity/session-sweep.ts';
import { sweepCounts, sweepCountsDaily } from '../limits/counts.ts';
import { settleLeft, settleLeftEveryMinute } from '../repositories/recovery.ts';
import { fullUpkeep, fullUpkeepWeekly, upkeep, upkeepAfterChanges } from '../repositories/upkeep.ts';
import * as accessTokens from './access-tokens/endpoints.ts';
import { removeGroupBots, removeProjectBots } from './access-tokens/index.ts';
import * as applicationSettings from './application-settings/endpoints.ts';
import * as applications from './applications/endpoints.ts';
import * as archive from './archive/endpoints.ts';
import * as auditEvents from './audit-events/endpoints.ts';
import * as avatars from './avatars/endpoints.ts';
import * as blobs from './blobs/endpoints.ts';
import { deleteMerged } from './branches/delete-merged.ts';
import * as branches from './branches/endpoints.ts';
import * as commits from './commits/endpoints.ts';
import * as compare from './compare/endpoints.ts';
import * as contributors from './contributors/endpoints.ts';
import * as documentation from './documentation/endpoints.ts';
import * as emails from './emails/endpoints.ts';
import * as features from './features/endpoints.ts';
import * as gitHttp from './git-http/endpoints.ts';
import * as groupProjects from './group-projects/endpoints.ts';
import * as groups from './groups/endpoints.ts';
import { destroyMarkedGroups, destroyMarkedGroupsDaily } from './groups/index.ts';
import * as health from './health/endpoints.ts';
import * as impersonationTokens from './impersonation-tokens/endpoints.ts';
import * as lfs from './lfs/endpoints.ts';
import { sweepContent, sweepContentDaily } from './lfs/sweep.ts';
import * as members from './members/endpoints.ts';
import { expireMembers, expireMembersDaily } from './members/index.ts';
import * as mergeBase from './merge-base/endpoints.ts';
import * as namespaces from './namespaces/endpoints.ts';
import * as oauth from './oauth/endpoints.ts';
import * as personalAccessTokens from './personal-access-tokens/endpoints.ts';
import * as projects from './projects/endpoints.ts';
import { destroyMarkedDaily, destroyMarkedJob, pointHeadJob, removeProjectRepository } from './projects/index.ts';
import * as protectedBranches from './protected-branches/endpoints.ts';
import { forgetLeavers } from './protected-branches/index.ts';
import * as repositoryFiles from './repository-files/endpoints.ts';
import * as signIn from './sign-in/endpoints.ts';
import * as tags from './tags/endpoints.ts';
import * as tree from './tree/endpoints.ts';
import { destroyUser } from './user-deletion/destroy.ts';
import * as userDeletion from './user-deletion/endpoints.ts';
import * as users from './users/endpoints.ts';
import * as version from './version/endpoints.ts';

/** Every family: its folder and its endpoints. */
export const families: Families = {
  documentation,
  'application-settings': applicationSettings,
  applications,
  'audit-events': auditEvents,
  avatars,
  emails,
  features,
  'impersonation-tokens': impersonationTokens,
  'personal-access-tokens': personalAccessTokens,
  'access-tokens': accessTokens,
  users,
  'user-deletion': userDeletion,
  version,
  'git-http': gitHttp,
  health,
  namespaces,
  oauth,
  lfs,
  groups,
  members,
  branches,
  'group-projects': groupProjects,
  projects,
  'protected-branches': protectedBranches,
  'repository-files': repositoryFiles,
  'sign-in': signIn,
  tags,
  archive,
  blobs,
  commits,
  compare,
  contributors,
  'merge-base': mergeBase,
  tree,
};

/** Work of the families that the queue does. */
export const jobs: readonly Job<Rooms, never>[] = [
  destroyMarkedGroups,
  destroyUser,
  expireMembers,
  removeOldActivity,
  sweepCounts,
  sweepOAuth,
  sweepSessions,
  settleLeft,
  upkeep,
  fullUpkeep,
  deleteMerged,
  sweepContent,
  destroyMarkedJob,
  pointHeadJob,
];

export const schedules: readonly Schedule<Rooms>[] = [
  destroyMarkedGroupsDaily,
  expireMembersDaily,
  removeOldActivityDaily,
  sweepCountsDaily,
  sweepOAuthDaily,
  sweepSessionsDaily,
  settleLeftEveryMinute,
  fullUpkeepWeekly,
  sweepContentDaily,
  destroyMarkedDaily,
];

/** What families want to be told of. */
export const subscriptions: readonly AnySubscription<Rooms>[] = [
  removeProjectBots,
  removeGroupBots,
  forgetLeavers,
  removeProjectRepository,
  upkeepAfterChanges,
];
