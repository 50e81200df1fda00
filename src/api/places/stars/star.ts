import { stillThere } from '../../../access/gone.ts';
import { findProject, type Project } from '../../../access/projects.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { addStar, countStars, removeStar } from './store.ts';

/** The caller's star, once; refused when it is there. */
export async function star(act: Act<SignedIn>, project: Project): Promise<Project | Refused<'already'>> {
  if (!(await addStar(act, project.id, act.by.user.id))) return refused('already');
  return counted(act, project, 1);
}

/** Refused when there is none. */
export async function unstar(act: Act<SignedIn>, project: Project): Promise<Project | Refused<'already'>> {
  if (!(await removeStar(act, project.id, act.by.user.id))) return refused('already');
  return counted(act, project, -1);
}

async function counted(act: Act, { id }: Project, by: 1 | -1): Promise<Project> {
  await countStars(act, [id], by);
  return stillThere(await findProject(act, act.by, String(id)));
}
