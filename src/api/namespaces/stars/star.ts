import type { SignedIn } from '#authentication/caller.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { Act } from '#events/unit-of-work.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { addStar, countStars, removeStar } from './store.ts';

/** The caller's star, once; refused when it is there. */
export async function star(act: Act<SignedIn>, project: Project): Promise<Project | Failure<'already'>> {
  if (!(await addStar(act, project.id, act.by.user.id))) return refused('already');
  return counted(act, project, 1);
}

/** Failure when there is none. */
export async function unstar(act: Act<SignedIn>, project: Project): Promise<Project | Failure<'already'>> {
  if (!(await removeStar(act, project.id, act.by.user.id))) return refused('already');
  return counted(act, project, -1);
}

async function counted(act: Act, { id }: Project, by: 1 | -1): Promise<Project> {
  await countStars(act, [id], by);
  return stillThere(await findProject(act, act.by, String(id)));
}
