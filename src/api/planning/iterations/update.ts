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
  change: UpdateIterationInput,
): Promise<IterationRow | Failure<'notFound' | 'automatic' | 'invalid'>> {
  const before = await findIteration(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const blank = validateDates(change);
  if (blank) return invalid(blank);
  const content = {
    title: change.title === undefined ? before.title : normalizeTitle(change.title),
    description: change.description === undefined ? before.description : change.description,
    start_date: change.start_date ?? before.start_date,
    due_date: change.due_date ?? before.due_date,
  };
  const moves = content.start_date !== before.start_date || content.due_date !== before.due_date;
  if (moves || content.title !== before.title) {
    if ((await findCadenceById(uow, before.cadence_id))?.automatic) return fail('automatic');
    const errors = await validateIteration(uow, before, content);
    if (errors) return invalid(errors);
  }
  const changes = moves || content.title !== before.title || content.description !== before.description;
  return changes ? updateIterationRow(uow, id, content) : before;
}

function validateDates({ start_date, due_date }: UpdateIterationInput): FieldErrors | null {
  const blank = (date: string | null | undefined) => (date === null ? ["can't be blank"] : []);
  return compactFieldErrors({ start_date: blank(start_date), due_date: blank(due_date) });
}
