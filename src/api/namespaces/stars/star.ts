import type { SignedInCaller } from '#authentication/caller.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { addStar, countStars, removeStar } from './store.ts';

/** The caller's star, once; refused when it is there. */
export async function star(uow: UnitOfWork<SignedInCaller>, project: Project): Promise<Project | Failure<'already'>> {
  if (!(await addStar(uow, project.id, uow.actor.user.id))) return fail('already');
  return counted(uow, project, 1);
}

/** Failure when there is none. */
export async function unstar(uow: UnitOfWork<SignedInCaller>, project: Project): Promise<Project | Failure<'already'>> {
  if (!(await removeStar(uow, project.id, uow.actor.user.id))) return fail('already');
  return counted(uow, project, -1);
}

async function counted(uow: UnitOfWork, { id }: Project, by: 1 | -1): Promise<Project> {
  await countStars(uow, [id], by);
  return stillThere(await findProject(uow, uow.actor, String(id)));
}
