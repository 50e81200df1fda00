import type { Caller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { ownerOf, type Place, reachOf } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { insertLabels, type LabelBasicRow, labelsTitled } from './store.ts';
import { titleErrors } from './validation.ts';

function mayManageLabels(caller: Caller, { project, group }: Place): boolean {
  return project ? mayInProject(caller, 'admin_label', project) : mayInGroup(caller, 'admin_label', group!);
}

/** Of labels that came to be by being named. */
const COLOR = '#6699cc';

/**
 * The labels that somebody names by their titles, in what is or shall be in this project or group: its own and those of
 * the groups above. An unknown one is created there when he may manage labels, otherwise it is left out, as is what can be
 * no title (contract/planning.md §3.5).
 */
export async function nameLabels(uow: UnitOfWork, place: Place, titles: readonly string[]): Promise<LabelBasicRow[]> {
  const wanted = [...new Set(titles.map((title) => title.trim()))].filter((title) => titleErrors(title).length === 0);
  if (wanted.length === 0) return [];
  const reach = await reachOf(uow, place);
  const found = await labelsTitled(uow, reach, wanted);
  const known = new Set(found.map(({ title }) => title));
  const unknown = wanted.filter((title) => !known.has(title));
  if (unknown.length === 0 || !mayManageLabels(uow.actor, place)) return found;
  await insertLabels(
    uow,
    ownerOf(place),
    unknown.map((title) => ({ title, color: COLOR, description: null })),
  );
  return [...found, ...(await labelsTitled(uow, reach, unknown))];
}
