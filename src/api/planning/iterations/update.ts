import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { readCadence } from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow, updateIteration } from './store.ts';
import { contentErrors, titleOf } from './validation.ts';

/** What was sent of an iteration; null takes away what can be absent. */
export type IterationChange = { readonly [Name in keyof IterationContent]?: IterationContent[Name] | null | undefined };

/** Changes an iteration as it stands now; of one that is made by itself only the description. */
export async function changeIteration(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<IterationRow, 'id' | 'group_id'>,
  change: IterationChange,
): Promise<IterationRow | Failure<'notFound' | 'automatic' | 'invalid'>> {
  const before = await findIteration(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const blank = blankDates(change);
  if (blank) return invalid(blank);
  const content = {
    title: change.title === undefined ? before.title : titleOf(change.title),
    description: change.description === undefined ? before.description : change.description,
    start_date: change.start_date ?? before.start_date,
    due_date: change.due_date ?? before.due_date,
  };
  const moves = content.start_date !== before.start_date || content.due_date !== before.due_date;
  if (moves || content.title !== before.title) {
    if ((await readCadence(uow, before.cadence_id))?.automatic) return fail('automatic');
    const errors = await contentErrors(uow, before, content);
    if (errors) return invalid(errors);
  }
  const changes = moves || content.title !== before.title || content.description !== before.description;
  return changes ? updateIteration(uow, id, content) : before;
}

function blankDates({ start_date, due_date }: IterationChange): FieldErrors | null {
  const blank = (date: string | null | undefined) => (date === null ? ["can't be blank"] : []);
  return fieldErrors({ start_date: blank(start_date), due_date: blank(due_date) });
}
