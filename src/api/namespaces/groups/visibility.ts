import { getVisibilityRank, VISIBILITIES, type Visibility } from '#authorization/visibility.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordProjectVisibility } from '../projects/index.ts';
import { recordGroupVisibility } from './activity.ts';

/** Errors of the rule that a child is never more visible than its parent (contract/planning.md §3.1). */

/** Returns errors if `visibility` exceeds the visibility of the parent. */
export function validateParentVisibility(parent: Pick<Group, 'visibility'> | null, visibility: Visibility): string[] {
  if (parent === null || getVisibilityRank(visibility) <= getVisibilityRank(parent.visibility)) return [];
  return [`${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`];
}

/** Returns errors if a group or project below is more visible than `visibility`. */
export async function validateDescendantVisibility(
  db: Reader,
  groupId: number,
  visibility: Visibility,
): Promise<string[]> {
  const widerVisibilities = listWiderVisibilities(visibility);
  if (widerVisibilities.length === 0) return [];
  return [
    ...((await hasGroupsBelow(db, groupId, widerVisibilities))
      ? [`${visibility} is not allowed since there are sub-groups with higher visibility.`]
      : []),
    ...((await hasProjectsBelow(db, groupId, widerVisibilities))
      ? [`${visibility} is not allowed since this group contains projects with higher visibility.`]
      : []),
  ];
}

const listWiderVisibilities = (visibility: Visibility) =>
  VISIBILITIES.filter((candidate) => getVisibilityRank(candidate) > getVisibilityRank(visibility));

/** Checking direct children suffices, since deeper ones are never more visible. index: namespaces_by_parent */
function hasGroupsBelow(db: Reader, groupId: number, visibilities: readonly Visibility[]): Promise<boolean> {
  const groups = db.selectFrom('namespaces').where('parent_id', '=', groupId);
  return hasRow(groups.where('visibility', 'in', visibilities).select('id'));
}

/** index: projects_by_namespace */
function hasProjectsBelow(db: Reader, groupId: number, visibilities: readonly Visibility[]): Promise<boolean> {
  const projects = db.selectFrom('projects').where('namespace_id', '=', groupId);
  return hasRow(projects.where('visibility', 'in', visibilities).select('id'));
}

/** Lowers the visibility of the group and everything below it, and records each change. */
export async function lowerVisibility(uow: UnitOfWork, groupId: number, visibility: Visibility): Promise<void> {
  const widerVisibilities = listWiderVisibilities(visibility);
  if (widerVisibilities.length === 0) return;
  const [groups, projects] = [
    await listGroupsWithVisibility(uow, groupId, widerVisibilities),
    await listProjectsWithVisibility(uow, groupId, widerVisibilities),
  ];
  const visibilityColumns = { visibility, updated_at: uow.now };
  const descendantIds = selectDescendantIds(uow, groupId);
  // index: namespace_closure_by_ancestor, projects_by_namespace
  const updateGroups = uow
    .updateTable('namespaces')
    .set(visibilityColumns)
    .where('visibility', 'in', widerVisibilities);
  await updateGroups.where('id', 'in', descendantIds).execute();
  const updateProjects = uow
    .updateTable('projects')
    .set(visibilityColumns)
    .where('visibility', 'in', widerVisibilities);
  await updateProjects.where('namespace_id', 'in', descendantIds).execute();
  for (const group of groups) await recordGroupVisibility(uow, group, group.visibility, visibility);
  for (const project of projects) await recordProjectVisibility(uow, project, project.visibility, visibility);
}

/** index: namespace_closure_by_ancestor, routes_by_namespace */
function listGroupsWithVisibility(db: Reader, groupId: number, visibilities: readonly Visibility[]) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'namespaces.visibility', 'routes.full_path'])
    .where('namespaces.id', 'in', selectDescendantIds(db, groupId))
    .where('namespaces.visibility', 'in', visibilities)
    .orderBy('namespaces.id')
    .execute();
}

/** index: namespace_closure_by_ancestor, projects_by_namespace, routes_by_project */
function listProjectsWithVisibility(db: Reader, groupId: number, visibilities: readonly Visibility[]) {
  return db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select(['projects.id', 'projects.visibility', 'routes.full_path'])
    .where('projects.namespace_id', 'in', selectDescendantIds(db, groupId))
    .where('projects.visibility', 'in', visibilities)
    .orderBy('projects.id')
    .execute();
}
