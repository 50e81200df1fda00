import type { Act } from '../../../facts/act.ts';
import { titleErrors } from './content.ts';
import { ownerOf } from './create.ts';
import { type LabelPlace, labelsInReach, mayManageLabels } from './place.ts';
import { insertLabels, type LabelBasicRow, labelsTitled } from './store.ts';

/** Of labels that came to be by being named. */
const COLOR = '#6699cc';

/**
 * The labels that somebody names by their titles, in what is or shall be in this project or group: its own and those of
 * the groups above. An unknown one is created there when he may manage labels, otherwise it is left out, as is what can be
 * no title (contract/planning.md §3.5).
 */
export async function nameLabels(act: Act, place: LabelPlace, titles: readonly string[]): Promise<LabelBasicRow[]> {
  const wanted = [...new Set(titles.map((title) => title.trim()))].filter((title) => titleErrors(title).length === 0);
  if (wanted.length === 0) return [];
  const sources = await labelsInReach(act, place);
  const found = await labelsTitled(act, sources, wanted);
  const known = new Set(found.map(({ title }) => title));
  const unknown = wanted.filter((title) => !known.has(title));
  if (unknown.length === 0 || !mayManageLabels(act.by, place)) return found;
  await insertLabels(
    act,
    ownerOf(place),
    unknown.map((title) => ({ title, color: COLOR, description: null })),
  );
  return [...found, ...(await labelsTitled(act, sources, unknown))];
}
