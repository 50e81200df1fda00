import type { Runner } from '#authorization/runners.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordRunnerUnregistered } from './activity.ts';

/** Deletes a runner and its managers. Its jobs stay, and running jobs continue (contract/runners.md §1.4). */
export async function deleteRunner(uow: UnitOfWork, runner: Runner): Promise<void> {
  await recordRunnerUnregistered(uow, runner);
  await uow.deleteFrom('runners').where('id', '=', runner.id).execute();
}
