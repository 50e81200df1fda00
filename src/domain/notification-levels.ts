import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepareForIds } from '#database/prepare.ts';
import { NOTIFICATION_LEVELS, type NotificationLevel } from '#database/schema.ts';
import { isActiveMembership, toViewerParams, type ViewerParams } from './members/roles.ts';
import type { Project } from './namespaces/projects.ts';

/** The level without a setting: the level of the parent applies. */
const GLOBAL: NotificationLevel = 'global';

/** The caller's notification levels, as numbers: for a project, and for the group through which they are a member. */
export interface ProjectNotificationLevels {
  readonly project: number;
  readonly group: number;
}

// index: notification_settings_by_project
const loadProjectLevels = prepareForIds<{ project_id: number | null; level: NotificationLevel }, ViewerParams>(
  (db, ids, value) =>
    db
      .selectFrom('notification_settings')
      .select(['project_id', 'level'])
      .where('project_id', 'in', ids)
      .where('user_id', '=', value('user')),
);

// index: namespace_closure_pkey, memberships_by_source, notification_settings_by_group
const loadGroupLevels = prepareForIds<{ namespace_id: number; level: NotificationLevel | null }, ViewerParams>(
  (db, ids, value: Params<ViewerParams>) =>
    db
      .selectFrom('namespace_closure as ancestors')
      .innerJoin('memberships', 'memberships.source_id', 'ancestors.ancestor_id')
      .leftJoin('notification_settings as setting', (join) =>
        join
          .onRef('setting.group_id', '=', 'memberships.source_id')
          .onRef('setting.user_id', '=', 'memberships.user_id'),
      )
      .select(['ancestors.descendant_id as namespace_id', 'setting.level'])
      .where('ancestors.descendant_id', 'in', ids)
      .where('memberships.source_type', '=', 'group')
      .where('memberships.user_id', '=', value('user'))
      .where(isActiveMembership('memberships.expires_at', value('today')))
      .orderBy('memberships.access_level')
      .orderBy('ancestors.depth', 'desc'),
);

/** Loads the caller's notification levels for these projects and returns a function that looks up one of them. */
export async function loadNotificationLevels(
  db: Reader,
  caller: Caller,
  projects: readonly Project[],
): Promise<(project: Project) => ProjectNotificationLevels> {
  const viewer = toViewerParams(db, caller);
  const directProjectIds = projects.filter(({ direct_role }) => direct_role > 0).map(({ id }) => id);
  const inheritedNamespaceIds = projects
    .filter(({ inherited_role }) => inherited_role > 0)
    .map(({ namespace_id }) => namespace_id);
  const [projectRows, groupRows] = await Promise.all([
    loadProjectLevels(db, directProjectIds, viewer),
    loadGroupLevels(db, [...new Set(inheritedNamespaceIds)], viewer),
  ]);
  const levelsByProjectId = new Map(projectRows.map(({ project_id, level }) => [project_id, level]));
  // Later rows overwrite earlier ones: the highest role wins, then the nearest group.
  const levelsByNamespaceId = new Map(groupRows.map(({ namespace_id, level }) => [namespace_id, level]));
  return ({ id, namespace_id }) => ({
    project: toLevelNumber(levelsByProjectId.get(id)),
    group: toLevelNumber(levelsByNamespaceId.get(namespace_id)),
  });
}

/** Converts a level, or a missing one, to its number in the API. */
function toLevelNumber(level: NotificationLevel | null | undefined): number {
  return NOTIFICATION_LEVELS.indexOf(level ?? GLOBAL);
}
