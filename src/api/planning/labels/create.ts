import type { Act } from '../../../facts/act.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { type GivenLabel, labelContent } from './content.ts';
import { type LabelPlace, ownLabels } from './place.ts';
import { findLabel, insertLabels, type LabelOwner, type LabelRow, setPriority } from './store.ts';

/** Creates a label of this project or group. */
export async function createLabel(
  act: Act,
  place: LabelPlace,
  given: GivenLabel,
): Promise<LabelRow | Refused<'invalid' | 'exists'>> {
  const content = await labelContent(act, place, given);
  if (isRefused(content)) return content;
  const [id] = await insertLabels(act, ownerOf(place), [content]);
  if (id === undefined) return refused('exists');
  if (place.project && given.priority != null) await setPriority(act, place.project.id, id, given.priority);
  return (await findLabel(act, ownLabels(place), id)) as LabelRow;
}

export function ownerOf({ project, group }: LabelPlace): LabelOwner {
  return project ? { project_id: project.id, group_id: null } : { project_id: null, group_id: group!.id };
}
