import type { Project } from '../../../access/projects.ts';
import { moveProjectRoute, type Place } from '../../../access/routes.ts';
import type { Transaction } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/bus.ts';

/** Puts a project at another place: a redirect stays behind, and the other families hear of it. */
export async function moveTo(
  tx: Transaction,
  facts: FactBus,
  { id }: Pick<Project, 'id'>,
  place: Place,
): Promise<void> {
  const oldPath = await moveProjectRoute(tx, id, place);
  if (oldPath !== null) await facts.publish(tx, 'project-moved', { projectId: id, oldPaths: [oldPath] });
}
