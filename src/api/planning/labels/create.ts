import { type GroupOrProject, selfOnly, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findLabel, insertLabels, type LabelRow, setLabelPriority } from './store.ts';
import { type LabelAttributes, validateLabel } from './validation.ts';

/** Creates a label in this project or group. */
export async function createLabel(
  uow: UnitOfWork,
  parent: GroupOrProject,
  input: LabelAttributes & { readonly archived?: boolean | null | undefined },
): Promise<LabelRow | Failure<'invalid' | 'exists'>> {
  const content = await validateLabel(uow, parent, input);
  if (isFailure(content)) return content;
  const [id] = await insertLabels(uow, toNamespaceOwnerColumns(parent), [{ ...content, archived: input.archived }]);
  if (id === undefined) return fail('exists');
  if (parent.project && input.priority != null) await setLabelPriority(uow, parent.project.id, id, input.priority);
  return (await findLabel(uow, selfOnly(parent), id)) as LabelRow;
}
