import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepareForIds } from '#database/prepare.ts';
import { NOTIFICATION_LEVELS, type NotificationLevel } from '#database/tables/notification-settings.ts';
import { isActiveMembership } from './members/membership-expiry.ts';
import { toViewerParams, type ViewerParams } from './members/viewer-role.ts';
import type { Project } from './namespaces/projects.ts';

/** The level without a setting: inherit from above. */
const GLOBAL: NotificationLevel = 'global';

/** The caller's notification levels for a project and for the group through which they are a member, as numbers. */
export interface ProjectNotificationLevels {
  readonly project: number;
  readonly group: number;
}

// index: notification_settings_by_project
const projectLevels = prepareForIds<{ project_id: number | null; level: NotificationLevel }, ViewerParams>(
  (db, ids, value) =>
    db
      .selectFrom('notification_settings')
      .select(['project_id', 'level'])
      .where('project_id', 'in', ids)
      .where('user_id', '=', value('user')),
);

// index: namespace_closure_pkey, memberships_by_source, notification_settings_by_group
const groupLevels = prepareForIds<{ namespace_id: number; level: NotificationLevel | null }, ViewerParams>(
  (db, ids, value: Params<ViewerParams>) =>
    db
      .selectFrom('namespace_closure as up')
      .innerJoin('memberships', 'memberships.source_id', 'up.ancestor_id')
      .leftJoin('notification_settings as chosen', (join) =>
        join.onRef('chosen.group_id', '=', 'memberships.source_id').onRef('chosen.user_id', '=', 'memberships.user_id'),
      )
      .select(['up.descendant_id as namespace_id', 'chosen.level'])
      .where('up.descendant_id', 'in', ids)
      .where('memberships.source_type', '=', 'group')
      .where('memberships.user_id', '=', value('user'))
      .where(isActiveMembership('memberships.expires_at', value('today')))
      .orderBy('memberships.access_level')
      .orderBy('up.depth', 'desc'),
);

/** Loads the caller's notification levels for these projects and returns a function that looks up one of them. */
export async function loadNotificationLevels(
  db: Reader,
  caller: Caller,
  projects: readonly Project[],
): Promise<(project: Project) => ProjectNotificationLevels> {
  const viewer = toViewerParams(db, caller);
  const direct = projects.filter(({ direct_role }) => direct_role > 0).map(({ id }) => id);
  const inheritedNamespaceIds = projects
    .filter(({ inherited_role }) => inherited_role > 0)
    .map(({ namespace_id }) => namespace_id);
  const [projectRows, groupRows] = await Promise.all([
    projectLevels(db, direct, viewer),
    groupLevels(db, [...new Set(inheritedNamespaceIds)], viewer),
  ]);
  const ofProjects = new Map(projectRows.map(({ project_id, level }) => [project_id, level]));
  // Later rows overwrite earlier ones: the highest role wins, then the nearest group.
  const ofGroups = new Map(groupRows.map(({ namespace_id, level }) => [namespace_id, level]));
  return ({ id, namespace_id }) => ({
    project: levelNumber(ofProjects.get(id)),
    group: levelNumber(ofGroups.get(namespace_id)),
  });
}

function levelNumber(level: NotificationLevel | null | undefined): number {
  return NOTIFICATION_LEVELS.indexOf(level ?? GLOBAL);
}
