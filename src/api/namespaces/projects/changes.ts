import { mayInProject } from '#authorization/abilities.ts';
import { createMembership, findMembership, updateMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { buildChildPath, type FullPath, getNamespacePath, moveProjectRoute } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { FORBIDDEN, PARENT_NOT_FOUND } from '#http/errors/error-messages.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import { recordProjectArchived, recordProjectTransferred, recordProjectVisibility } from './activity.ts';
import { findTarget, mayKnowTarget, mayTransferProjectsTo } from './target-namespace.ts';
import { capVisibility, findTakenFields } from './validation.ts';

/** Archives a project. If two requests run at the same time, one fails with `alreadyArchived`. */
export async function archiveProject(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'alreadyArchived' | 'ancestorArchived' | 'scheduledForDeletion' | 'notFound'>> {
  const row = await findArchiveColumns(uow, project.id);
  if (row === undefined) return fail('notFound');
  if (row.archived) return fail('alreadyArchived');
  const { archived, marked } = await loadArchiveState(uow, row.namespace_id);
  if (archived.any) return fail('ancestorArchived');
  if (marked.any) return fail('scheduledForDeletion');
  return setArchived(uow, project, true);
}

/**
 * Unarchives a project. A project that is scheduled for deletion must be restored instead; one that is not archived
 * stays unchanged.
 */
export async function unarchiveProject(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'ancestorArchived' | 'scheduledForDeletion' | 'notFound'>> {
  const row = await findArchiveColumns(uow, project.id);
  if (row === undefined) return fail('notFound');
  const { archived } = await loadArchiveState(uow, row.namespace_id);
  if (archived.any) return fail('ancestorArchived');
  if (row.marked_for_deletion_on !== null) return fail('scheduledForDeletion');
  return row.archived ? setArchived(uow, project, false) : reloadProject(uow, project);
}

// index: projects primary key
function findArchiveColumns(uow: UnitOfWork, id: number) {
  return uow
    .selectFrom('projects')
    .select(['namespace_id', 'archived', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Stores whether the project is archived, and records the audit event. */
async function setArchived(uow: UnitOfWork, project: Project, archived: boolean): Promise<Project> {
  await uow.updateTable('projects').set({ archived, updated_at: uow.now }).where('id', '=', project.id).execute();
  await recordProjectArchived(uow, project, archived);
  return reloadProject(uow, project);
}

/** Errors of endpoints that transfer projects. */
export const TRANSFER_ERRORS = {
  namespaceNotFound: [404, '404 Namespace Not Found'],
  notFound: PARENT_NOT_FOUND.Project,
  forbidden: FORBIDDEN,
  sameNamespace: [400, 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}'],
  notPermitted: [
    400,
    'Failed to transfer project {:new_namespace=>["You don\'t have permission to transfer projects into that namespace."]}',
  ],
  nameOrPathTaken: [
    400,
    'Failed to transfer project {:new_namespace=>["Project with same name or path in target namespace already exists"]}',
  ],
} as const;

/** Errors for names and paths that a concurrent request has taken. */
export const TRANSFER_UNIQUE_ERRORS = {
  projects_by_name_key: 'nameOrPathTaken',
  routes_by_full_path: 'nameOrPathTaken',
} as const;

type TransferFailure = keyof typeof TRANSFER_ERRORS;

/** Transfers a project to the namespace with this id or full path. It becomes at most as visible as the namespace. */
export async function transferProject(
  uow: UnitOfWork,
  project: Project,
  namespace: string,
): Promise<Project | Failure<TransferFailure>> {
  const before = await findProject(uow, uow.actor, String(project.id));
  if (before === null) return fail('notFound');
  if (!mayInProject(uow.actor, 'transfer_project', before)) return fail('forbidden');
  const target = await findTarget(uow, uow.actor, namespace);
  if (target === null || !mayKnowTarget(uow.actor, target)) return fail('namespaceNotFound');
  if (before.namespace_id === target.id) return fail('sameNamespace');
  if (!mayTransferProjectsTo(uow.actor, target)) return fail('notPermitted');
  const sourceNamespace = await getNamespacePath(uow, before.namespace_id);
  const fullPath = buildChildPath(target, before.path, before.name);
  const nameAndPath = { namespaceId: target.id, name: before.name, fullPath: fullPath.full_path };
  if ((await findTakenFields(uow, nameAndPath)) !== null) return fail('nameOrPathTaken');
  const visibility = capVisibility(target, before.visibility);
  await uow
    .updateTable('projects')
    .set({ namespace_id: target.id, visibility, updated_at: uow.now })
    .where('id', '=', project.id)
    .execute();
  await moveProject(uow, project, fullPath);
  await uow.publish('group-or-project-transferred', { type: 'project', id: project.id });
  if (target.owner_id !== null) await ensureOwner(uow, project.id, target.owner_id);
  const movedProject = { id: project.id, full_path: fullPath.full_path };
  await recordProjectVisibility(uow, movedProject, before.visibility, visibility);
  await recordProjectTransferred(uow, movedProject, sourceNamespace.full_path, target.full_path);
  return reloadProject(uow, project);
}

/** Makes the owner of a personal namespace an explicit Owner of the project. */
async function ensureOwner(uow: UnitOfWork, projectId: number, ownerId: number): Promise<void> {
  const source = { type: 'project', id: projectId } as const;
  const ownerMembership = await findMembership(uow, source, ownerId);
  if (ownerMembership) await updateMembership(uow, ownerMembership.id, { access_level: OWNER, expires_at: null });
  else
    await createMembership(uow, source, {
      userId: ownerId,
      accessLevel: OWNER,
      createdById: uow.actor.user?.id ?? null,
    });
}

/** Changes the path of a project, leaves a redirect and publishes an event. */
export async function moveProject(uow: UnitOfWork, { id }: Pick<Project, 'id'>, fullPath: FullPath): Promise<void> {
  const oldPath = await moveProjectRoute(uow, id, fullPath);
  if (oldPath !== null) await uow.publish('project-moved', { projectId: id, oldPaths: [oldPath] });
}

/** Reloads the project in this unit of work, since its path and the caller's rights may have changed. */
export async function reloadProject(uow: UnitOfWork, { id }: Pick<Project, 'id'>): Promise<Project> {
  return requireRow(await findProject(uow, uow.actor, String(id)));
}
