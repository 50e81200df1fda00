import { ownReach, type Place } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findLabel, type LabelRow, setPriority, updateLabel } from './store.ts';
import { type GivenLabel, labelContent } from './validation.ts';

/** What was sent of a label; null takes away what can be absent. */
export interface LabelChange {
  readonly title?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  /** Projects give labels priorities, groups don't. */
  readonly priority?: number | null | undefined;
}

/** Changes a label of this project or group, not one of a group above. */
export async function changeLabel(
  uow: UnitOfWork,
  place: Place,
  labelId: number,
  change: LabelChange,
): Promise<LabelRow | Failure<'notFound' | 'invalid' | 'exists'>> {
  const label = await findLabel(uow, ownReach(place), labelId);
  if (label === null) return fail('notFound');
  const given: GivenLabel = {
    title: change.title ?? label.title,
    color: change.color ?? label.color,
    description: change.description === undefined ? label.description : change.description,
    priority: change.priority,
  };
  const content = await labelContent(uow, place, given, labelId);
  if (isFailure(content)) return content;
  await updateLabel(uow, labelId, { ...content, archived: change.archived ?? label.archived });
  if (place.project && change.priority !== undefined) {
    await setPriority(uow, place.project.id, labelId, change.priority);
  }
  return (await findLabel(uow, ownReach(place), labelId)) ?? fail('notFound');
}
