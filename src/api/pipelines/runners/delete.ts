import type { Runner } from '#authorization/runners.ts';
import type { Act } from '#events/unit-of-work.ts';
import { recordUnregistered } from './activity.ts';

/** Deletes a runner with its managers; its jobs stay, and those that run go on (contract/runners.md §1.4). */
export async function deleteRunner(act: Act, runner: Runner): Promise<void> {
  await recordUnregistered(act, runner);
  await act.deleteFrom('runners').where('id', '=', runner.id).execute();
}
