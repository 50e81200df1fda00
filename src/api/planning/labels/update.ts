import { type GroupOrProject, selfOnly } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findLabel, type LabelRow, setLabelPriority, updateLabelRow } from './store.ts';
import { type LabelAttributes, validateLabel } from './validation.ts';

/** Changes to a label. Null clears an optional attribute; undefined keeps it. */
export interface UpdateLabelInput {
  readonly title?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  /** In projects only. */
  readonly priority?: number | null | undefined;
}

/** Updates a label of this project or group itself; inherited labels are not found. */
export async function updateLabel(
  uow: UnitOfWork,
  parent: GroupOrProject,
  labelId: number,
  change: UpdateLabelInput,
): Promise<LabelRow | Failure<'notFound' | 'invalid' | 'exists'>> {
  const label = await findLabel(uow, selfOnly(parent), labelId);
  if (label === null) return fail('notFound');
  const input: LabelAttributes = {
    title: change.title ?? label.title,
    color: change.color ?? label.color,
    description: change.description === undefined ? label.description : change.description,
    priority: change.priority,
  };
  const content = await validateLabel(uow, parent, input, labelId);
  if (isFailure(content)) return content;
  await updateLabelRow(uow, labelId, { ...content, archived: change.archived ?? label.archived });
  if (parent.project && change.priority !== undefined) {
    await setLabelPriority(uow, parent.project.id, labelId, change.priority);
  }
  return (await findLabel(uow, selfOnly(parent), labelId)) ?? fail('notFound');
}
