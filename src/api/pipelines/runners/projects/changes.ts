import { isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findOwnerProjectId, mayUpdateRunner, type Runner } from '#authorization/runners.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordAssociation } from '../activity.ts';
import { countRunnersOfProject, incrementQueueVersion, insertAssociation, removeAssociation } from '../store.ts';

/** Assigns project runners to several projects (contract/runners.md §1.6). */

const MAX_RUNNERS_PER_PROJECT = 1000;

type AssignFailure = 'isGroupRunner' | 'locked' | 'notPermitted' | 'isInstanceRunner' | 'tooManyRunners';

/** Assigns a runner to another project. */
export async function assignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<Runner | Failure<AssignFailure>> {
  const isAdmin = isAdministrator(uow.actor);
  if (runner.runner_type === 'group_type') return fail('isGroupRunner');
  if (runner.runner_type === 'instance_type') return fail(isAdmin ? 'isInstanceRunner' : 'notPermitted');
  if (runner.locked && !isAdmin) return fail('locked');
  if (!(await mayUpdateRunner(uow, uow.actor, runner))) return fail('notPermitted');
  if ((await countRunnersOfProject(uow, project.id)) >= MAX_RUNNERS_PER_PROJECT) return fail('tooManyRunners');
  await insertAssociation(uow, runner.id, project.id);
  await recordAssociation(uow, runner, { project, added: true });
  return runner;
}

/** Unassigns a runner from a project that is not its owner. */
export async function unassignRunner(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  runner: Runner,
): Promise<undefined | Failure<'locked' | 'notPermitted' | 'isOwnerProject' | 'notFound'>> {
  const isAdmin = isAdministrator(uow.actor);
  if ((await findOwnerProjectId(uow, runner.id)) === project.id) {
    return fail(isAdmin ? 'isOwnerProject' : 'notPermitted');
  }
  if (runner.locked && !isAdmin) return fail('locked');
  if (!(await removeAssociation(uow, runner.id, project.id))) return fail('notFound');
  await recordAssociation(uow, runner, { project, added: false });
}

/**
 * When a project is deleted, the next project of each of its runners becomes the owner. A runner without another
 * project is deleted. A project has at most a thousand runners. Runners of a group are deleted by a cascade.
 */
export const releaseRunnersOfProject = defineSubscription({
  event: 'project-destroyed',
  async inTransaction(uow, { projectId }) {
    // index: runner_projects_by_project, runner_projects_by_runner
    const runnerIds = uow
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id')
      .where('project_id', '=', projectId);
    await uow
      .deleteFrom('runners')
      .where('id', 'in', runnerIds)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('runner_projects as other_projects')
              .select('other_projects.id')
              .whereRef('other_projects.runner_id', '=', 'runners.id')
              .where('other_projects.project_id', '<>', projectId),
          ),
        ),
      )
      .execute();
    await uow.updateTable('runners').set(incrementQueueVersion).where('id', 'in', runnerIds).execute();
  },
}) satisfies AnySubscription<object>;
