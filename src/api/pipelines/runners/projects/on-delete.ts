import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { incrementQueueVersion } from '../store.ts';

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
