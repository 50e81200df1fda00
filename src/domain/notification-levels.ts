import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepareForIds } from '#database/prepare.ts';
import { NOTIFICATION_LEVELS, type NotificationLevel } from '#database/tables/notification-settings.ts';
import { isLive } from './members/membership-expiry.ts';
import { type Asker, askerOf } from './members/viewer-role.ts';
import type { Project } from './namespaces/projects.ts';

/** Where nothing else has been chosen: as the setting above says. */
const GLOBAL: NotificationLevel = 'global';

/** What the caller has chosen to be told of a project: there, and in the group above that makes him its member. */
export interface ProjectLevels {
  readonly project: number;
  readonly group: number;
}

// index: notification_settings_by_project
const ownLevels = prepareForIds<{ project_id: number | null; level: NotificationLevel }, Asker>((db, ids, value) =>
  db
    .selectFrom('notification_settings')
    .select(['project_id', 'level'])
    .where('project_id', 'in', ids)
    .where('user_id', '=', value('user')),
);

// index: namespace_closure_pkey, memberships_by_source, notification_settings_by_group
const levelsAbove = prepareForIds<{ namespace_id: number; level: NotificationLevel | null }, Asker>(
  (db, ids, value: Params<Asker>) =>
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
      .where(isLive('memberships.expires_at', value('today')))
      .orderBy('memberships.access_level')
      .orderBy('up.depth', 'desc'),
);

/** The caller's levels for these projects, by their ids and as numbers; a project that is missing has the usual ones. */
export async function notificationLevels(
  db: Reader,
  caller: Caller,
  projects: readonly Project[],
): Promise<(project: Project) => ProjectLevels> {
  const asker = askerOf(db, caller);
  const direct = projects.filter(({ direct_role }) => direct_role > 0).map(({ id }) => id);
  const below = projects.filter(({ inherited_role }) => inherited_role > 0).map(({ namespace_id }) => namespace_id);
  const [own, above] = await Promise.all([ownLevels(db, direct, asker), levelsAbove(db, [...new Set(below)], asker)]);
  const ofProjects = new Map(own.map(({ project_id, level }) => [project_id, level]));
  // The last one is that of the highest role, and among those of the nearest group.
  const ofGroups = new Map(above.map(({ namespace_id, level }) => [namespace_id, level]));
  return ({ id, namespace_id }) => ({
    project: numberOf(ofProjects.get(id)),
    group: numberOf(ofGroups.get(namespace_id)),
  });
}

function numberOf(level: NotificationLevel | null | undefined): number {
  return NOTIFICATION_LEVELS.indexOf(level ?? GLOBAL);
}
