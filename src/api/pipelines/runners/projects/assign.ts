import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { mayUpdateRunner, ownerProjectOf, type Runner } from '#authorization/runners.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordAssociation } from '../activity.ts';
import { associationsIn, insertAssociation, removeAssociation } from '../store.ts';

/** Project runners in more projects than one (contract/runners.md §1.6). */

const MOST_IN_PROJECT = 1000;

type AssignFailure = 'ofGroup' | 'locked' | 'notPermitted' | 'ofInstance' | 'tooMany';

/** Gives a runner to one more project. */
export async function assignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<Runner | Failure<AssignFailure>> {
  const administrator = isAdministrator(uow.actor);
  if (runner.runner_type === 'group_type') return fail('ofGroup');
  if (runner.runner_type === 'instance_type') return fail(administrator ? 'ofInstance' : 'notPermitted');
  if (runner.locked && !administrator) return fail('locked');
  if (!(await mayUpdateRunner(uow, uow.actor, runner))) return fail('notPermitted');
  if ((await associationsIn(uow, project.id)) >= MOST_IN_PROJECT) return fail('tooMany');
  await insertAssociation(uow, runner.id, project.id);
  await recordAssociation(uow, runner, { project, added: true });
  return runner;
}

/** Takes a runner from a project that is not its owner. */
export async function unassignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<undefined | Failure<'locked' | 'notPermitted' | 'fromOwner' | 'notFound'>> {
  const administrator = isAdministrator(uow.actor);
  if ((await ownerProjectOf(uow, runner.id)) === project.id) {
    return fail(administrator ? 'fromOwner' : 'notPermitted');
  }
  if (runner.locked && !administrator) return fail('locked');
  if (!(await removeAssociation(uow, runner.id, project.id))) return fail('notFound');
  await recordAssociation(uow, runner, { project, added: false });
}
