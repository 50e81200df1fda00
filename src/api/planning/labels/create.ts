import { ownerOf, ownReach, type Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findLabel, insertLabels, type LabelRow, setPriority } from './store.ts';
import { type GivenLabel, labelContent } from './validation.ts';

/** Creates a label of this project or group. */
export async function createLabel(
  uow: UnitOfWork,
  place: Place,
  given: GivenLabel,
): Promise<LabelRow | Failure<'invalid' | 'exists'>> {
  const content = await labelContent(uow, place, given);
  if (isFailure(content)) return content;
  const [id] = await insertLabels(uow, ownerOf(place), [content]);
  if (id === undefined) return fail('exists');
  if (place.project && given.priority != null) await setPriority(uow, place.project.id, id, given.priority);
  return (await findLabel(uow, ownReach(place), id)) as LabelRow;
}
