import type { SignedInCaller } from '#authentication/caller.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, requireRow } from '#runtime/failure.ts';
import { addToStarCounts, deleteStar, insertStar } from './store.ts';

/** Stars a project; fails if it is already starred. */
export async function star(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
): Promise<Project | Failure<'alreadyStarred'>> {
  if (!(await insertStar(uow, project.id, uow.actor.user.id))) return fail('alreadyStarred');
  return updateStarCount(uow, project, 1);
}

/** Unstars a project; fails if it is not starred. */
export async function unstar(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
): Promise<Project | Failure<'notStarred'>> {
  if (!(await deleteStar(uow, project.id, uow.actor.user.id))) return fail('notStarred');
  return updateStarCount(uow, project, -1);
}

async function updateStarCount(uow: UnitOfWork, { id }: Project, delta: 1 | -1): Promise<Project> {
  await addToStarCounts(uow, [id], delta);
  return requireRow(await findProject(uow, uow.actor, String(id)));
}
