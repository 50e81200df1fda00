import type { Transaction } from '#database/database.ts';
import { type FieldErrors, fieldErrors, invalid } from '#runtime/failure.ts';
import { type IterationContent, type IterationRow, isOverlapping, isTitleTaken } from './store.ts';

/** What iterations may say (contract/planning.md §3.10 "Model errors"). */

const LONGEST = 255;

/** A title in which nothing is written is none. */
export const titleOf = (title: string | null | undefined): string | null => title?.trim() || null;

const TITLE_ERRORS = ['already being used for another iteration within this cadence.'];

/** Somebody else has got the title meanwhile. */
export const TITLE_TAKEN = invalid({ title: TITLE_ERRORS });

/** Whether an iteration of a cadence, a new one with the id 0, can say this: null, or why it can't. */
export async function contentErrors(
  tx: Transaction,
  of: Pick<IterationRow, 'id' | 'cadence_id'>,
  content: IterationContent,
): Promise<FieldErrors | null> {
  const { title, start_date, due_date } = content;
  const disordered = due_date <= start_date;
  return fieldErrors({
    due_date: disordered ? ['must be greater than start date'] : [],
    base: !disordered && (await isOverlapping(tx, { ...of, start_date, due_date })) ? [OVERLAPPING] : [],
    title: title === null ? [] : await titleErrors(tx, { ...of, title }),
  });
}

const OVERLAPPING = 'Dates cannot overlap with other existing Iterations within this iterations cadence';

async function titleErrors(
  tx: Transaction,
  of: Pick<IterationRow, 'id' | 'cadence_id'> & { readonly title: string },
): Promise<readonly string[]> {
  if ([...of.title].length > LONGEST) return [`is too long (maximum is ${LONGEST} characters)`];
  return (await isTitleTaken(tx, of)) ? TITLE_ERRORS : [];
}
