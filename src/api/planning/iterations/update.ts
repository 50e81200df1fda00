import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { findCadenceById } from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow, updateIterationRow } from './store.ts';
import { normalizeTitle, validateIteration } from './validation.ts';

/** Changes to an iteration. Null clears an optional attribute; undefined keeps it. */
export type UpdateIterationInput = {
  readonly [Name in keyof IterationContent]?: IterationContent[Name] | null | undefined;
};

/** Updates an iteration. In an automatic cadence only the description can change. */
export async function updateIteration(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<IterationRow, 'id' | 'group_id'>,
  input: UpdateIterationInput,
): Promise<IterationRow | Failure<'notFound' | 'cadenceIsAutomatic' | 'invalid'>> {
  const before = await findIteration(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const dateErrors = validateDates(input);
  if (dateErrors) return invalid(dateErrors);
  const content = {
    title: input.title === undefined ? before.title : normalizeTitle(input.title),
    description: input.description === undefined ? before.description : input.description,
    start_date: input.start_date ?? before.start_date,
    due_date: input.due_date ?? before.due_date,
  };
  const areDatesChanged = content.start_date !== before.start_date || content.due_date !== before.due_date;
  if (areDatesChanged || content.title !== before.title) {
    if ((await findCadenceById(uow, before.cadence_id))?.automatic) return fail('cadenceIsAutomatic');
    const errors = await validateIteration(uow, before, content);
    if (errors) return invalid(errors);
  }
  const isChanged = areDatesChanged || content.title !== before.title || content.description !== before.description;
  return isChanged ? updateIterationRow(uow, id, content) : before;
}

function validateDates({ start_date, due_date }: UpdateIterationInput): FieldErrors | null {
  const rejectNull = (date: string | null | undefined) => (date === null ? ["can't be blank"] : []);
  return compactFieldErrors({ start_date: rejectNull(start_date), due_date: rejectNull(due_date) });
}
