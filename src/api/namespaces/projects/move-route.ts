import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { moveProjectRoute, type Place } from '#domain/namespaces/routes.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Puts a project at another place: a redirect stays behind, and the other families hear of it. */
export async function moveTo(uow: UnitOfWork, { id }: Pick<Project, 'id'>, place: Place): Promise<void> {
  const oldPath = await moveProjectRoute(uow, id, place);
  if (oldPath !== null) await uow.publish('project-moved', { projectId: id, oldPaths: [oldPath] });
}

/** The project that this act has changed: its place and the caller's rights may be other ones now. */
export async function readAgain(uow: UnitOfWork, { id }: Pick<Project, 'id'>): Promise<Project> {
  return stillThere(await findProject(uow, uow.actor, String(id)));
}
