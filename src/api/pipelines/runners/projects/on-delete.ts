import { type AnySubscription, subscription } from '#events/event-bus.ts';
import { incrementQueueVersion } from '../store.ts';

/**
 * A project that ends leaves its runners to the project that they were given to next; one that is in no other ends with it.
 * There are a thousand at most. Those of a group go with its row.
 */
export const releaseRunnersOfProject = subscription({
  event: 'project-destroyed',
  async inTransaction(uow, { projectId }) {
    // index: runner_projects_by_project, runner_projects_by_runner
    const its = uow
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id')
      .where('project_id', '=', projectId);
    await uow
      .deleteFrom('runners')
      .where('id', 'in', its)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('runner_projects as other')
              .select('other.id')
              .whereRef('other.runner_id', '=', 'runners.id')
              .where('other.project_id', '<>', projectId),
          ),
        ),
      )
      .execute();
    await uow.updateTable('runners').set(incrementQueueVersion).where('id', 'in', its).execute();
  },
}) satisfies AnySubscription<object>;
