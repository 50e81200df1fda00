import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { type FullPath, moveProjectRoute } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { requireRow } from '#runtime/failure.ts';

/** Changes the path of a project, leaves a redirect and publishes an event. */
export async function moveProject(uow: UnitOfWork, { id }: Pick<Project, 'id'>, fullPath: FullPath): Promise<void> {
  const oldPath = await moveProjectRoute(uow, id, fullPath);
  if (oldPath !== null) await uow.publish('project-moved', { projectId: id, oldPaths: [oldPath] });
}

/** Reloads the project in this unit of work, since its path and the caller's rights may have changed. */
export async function reloadProject(uow: UnitOfWork, { id }: Pick<Project, 'id'>): Promise<Project> {
  return requireRow(await findProject(uow, uow.actor, String(id)));
}
