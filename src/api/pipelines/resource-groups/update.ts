import type { ProcessMode } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { startNextInResourceGroup } from '../processing/index.ts';
import { type ResourceGroupRow, setProcessMode } from './store.ts';

/** Updates the process mode (null: unchanged) and returns the group. The new order may start a waiting job at once. */
export async function updateProcessMode(
  uow: UnitOfWork,
  group: ResourceGroupRow,
  mode: ProcessMode | null | undefined,
): Promise<ResourceGroupRow> {
  if (mode == null || mode === group.process_mode) return group;
  const updatedGroup = await setProcessMode(uow, group, mode);
  await startNextInResourceGroup(uow, group);
  return updatedGroup;
}
