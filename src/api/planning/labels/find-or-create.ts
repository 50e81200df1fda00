import type { Caller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { ancestorsAndSelf, type GroupOrProject, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findLabelsByTitles, insertLabels, type LabelBasicRow } from './store.ts';
import { validateLabelTitle } from './validation.ts';

function mayManageLabels(caller: Caller, { project, group }: GroupOrProject): boolean {
  return project ? mayInProject(caller, 'admin_label', project) : mayInGroup(caller, 'admin_label', group!);
}

/** Color of labels that are created by name only. */
const DEFAULT_COLOR = '#6699cc';

/**
 * Finds labels by title in this project or group and its ancestors. Creates unknown ones if the actor may manage labels,
 * else omits them. Omits invalid titles too (contract/planning.md §3.5).
 */
export async function findOrCreateLabels(
  uow: UnitOfWork,
  parent: GroupOrProject,
  titles: readonly string[],
): Promise<LabelBasicRow[]> {
  const validTitles = [...new Set(titles.map((title) => title.trim()))].filter(
    (title) => validateLabelTitle(title).length === 0,
  );
  if (validTitles.length === 0) return [];
  const scope = await ancestorsAndSelf(uow, parent);
  const existingLabels = await findLabelsByTitles(uow, scope, validTitles);
  const existingTitles = new Set(existingLabels.map(({ title }) => title));
  const missingTitles = validTitles.filter((title) => !existingTitles.has(title));
  if (missingTitles.length === 0 || !mayManageLabels(uow.actor, parent)) return existingLabels;
  await insertLabels(
    uow,
    toNamespaceOwnerColumns(parent),
    missingTitles.map((title) => ({ title, color: DEFAULT_COLOR, description: null })),
  );
  return [...existingLabels, ...(await findLabelsByTitles(uow, scope, missingTitles))];
}
