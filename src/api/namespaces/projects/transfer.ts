import { mayInProject } from '#authorization/abilities.ts';
import { addMembership, changeMembership, findMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { childOf, placeOfNamespace } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { FORBIDDEN, GONE } from '#http/errors/error-messages.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordMoved, recordProjectVisibility } from './activity.ts';
import { belongsTo, findTarget, mayReceiveProjects } from './creation/target-namespace.ts';
import { moveTo, readAgain } from './move-route.ts';
import { takenFields } from './unique-errors.ts';
import { visibilityIn } from './validation.ts';

/** Their texts, for the endpoints that move projects. */
export const TRANSFER_REFUSALS = {
  noNamespace: [404, '404 Namespace Not Found'],
  gone: GONE.Project,
  forbidden: FORBIDDEN,
  sameNamespace: [400, 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}'],
  notPermitted: [
    400,
    'Failed to transfer project {:new_namespace=>["You don\'t have permission to transfer projects into that namespace."]}',
  ],
  taken: [
    400,
    'Failed to transfer project {:new_namespace=>["Project with same name or path in target namespace already exists"]}',
  ],
} as const;

/** What another's commit may have taken meanwhile. */
export const TRANSFER_TAKEN = { projects_by_name_key: 'taken', routes_by_full_path: 'taken' } as const;

type TransferFailure = keyof typeof TRANSFER_REFUSALS;

/** Moves a project to the namespace of this id or full path; it becomes no more visible than what it comes into. */
export async function transfer(
  uow: UnitOfWork,
  project: Project,
  namespace: string,
): Promise<Project | Failure<TransferFailure>> {
  const before = await findProject(uow, uow.actor, String(project.id));
  if (before === null) return fail('gone');
  if (!mayInProject(uow.actor, 'transfer_project', before)) return fail('forbidden');
  const target = await findTarget(uow, uow.actor, namespace);
  if (target === null || !belongsTo(uow.actor, target)) return fail('noNamespace');
  if (before.namespace_id === target.id) return fail('sameNamespace');
  if (!mayReceiveProjects(uow.actor, target)) return fail('notPermitted');
  const from = await placeOfNamespace(uow, before.namespace_id);
  const place = childOf(target, before.path, before.name);
  const wanted = { namespaceId: target.id, name: before.name, fullPath: place.full_path };
  if ((await takenFields(uow, wanted)) !== null) return fail('taken');
  const visibility = visibilityIn(target, before.visibility);
  await uow
    .updateTable('projects')
    .set({ namespace_id: target.id, visibility, updated_at: uow.now })
    .where('id', '=', project.id)
    .execute();
  await moveTo(uow, project, place);
  await uow.publish('transferred', { type: 'project', id: project.id });
  if (target.owner_id !== null) await ensureOwner(uow, project.id, target.owner_id);
  const moved = { id: project.id, full_path: place.full_path };
  await recordProjectVisibility(uow, moved, before.visibility, visibility);
  await recordMoved(uow, moved, from.full_path, target.full_path);
  return readAgain(uow, project);
}

/** Who owns a personal namespace owns its projects by a row of his own. */
async function ensureOwner(uow: UnitOfWork, projectId: number, ownerId: number): Promise<void> {
  const source = { type: 'project', id: projectId } as const;
  const own = await findMembership(uow, source, ownerId);
  if (own) await changeMembership(uow, own.id, { access_level: OWNER, expires_at: null });
  else
    await addMembership(uow, source, { userId: ownerId, accessLevel: OWNER, createdById: uow.actor.user?.id ?? null });
}
