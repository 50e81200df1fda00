import type { Transaction } from '#database/database.ts';
import { compactFieldErrors, type FieldErrors, invalid } from '#runtime/failure.ts';
import { hasOverlappingIteration, type IterationContent, type IterationRow, isIterationTitleTaken } from './store.ts';

// Validation of iterations (contract/planning.md §3.10 "Model errors").

const MAX_TITLE_LENGTH = 255;

/** Trims a title; returns null for a blank one. */
export const normalizeTitle = (title: string | null | undefined): string | null => title?.trim() || null;

const TITLE_ERRORS = ['already being used for another iteration within this cadence.'];

/** The failure when a concurrent request has taken the title. */
export const ITERATION_TITLE_TAKEN = invalid({ title: TITLE_ERRORS });

/** Returns validation errors, or null if the content is valid. A new iteration has the id 0. */
export async function validateIteration(
  tx: Transaction,
  iterationRef: Pick<IterationRow, 'id' | 'cadence_id'>,
  content: IterationContent,
): Promise<FieldErrors | null> {
  const { title, start_date, due_date } = content;
  const isDueTooEarly = due_date <= start_date;
  return compactFieldErrors({
    due_date: isDueTooEarly ? ['must be greater than start date'] : [],
    base:
      !isDueTooEarly && (await hasOverlappingIteration(tx, { ...iterationRef, start_date, due_date }))
        ? [OVERLAPPING_DATES]
        : [],
    title: title === null ? [] : await validateIterationTitle(tx, { ...iterationRef, title }),
  });
}

const OVERLAPPING_DATES = 'Dates cannot overlap with other existing Iterations within this iterations cadence';

async function validateIterationTitle(
  tx: Transaction,
  iterationRef: Pick<IterationRow, 'id' | 'cadence_id'> & { readonly title: string },
): Promise<readonly string[]> {
  if ([...iterationRef.title].length > MAX_TITLE_LENGTH)
    return [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`];
  return (await isIterationTitleTaken(tx, iterationRef)) ? TITLE_ERRORS : [];
}
