import type { Transaction } from '#database/database.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, formatFieldErrors } from '#runtime/failure.ts';
import { isMilestoneTitleTaken, type MilestoneContent, type MilestoneRow } from './store.ts';

/** Maximum length of a title, in characters. */
const MAX_TITLE_LENGTH = 255;

/**
 * Returns validation errors, or null if the content is valid. `currentMilestone` is set on update. Its unchanged title is
 * valid even as a duplicate, because transfers of projects and groups can cause duplicates.
 */
export async function validateMilestone(
  tx: Transaction,
  parent: GroupOrProject,
  { title, start_date: start, due_date: due }: MilestoneContent,
  currentMilestone?: MilestoneRow,
): Promise<FieldErrors | null> {
  return compactFieldErrors({
    title: await validateMilestoneTitle(tx, parent, title, currentMilestone),
    due_date: start !== null && due !== null && due <= start ? ['must be greater than start date'] : [],
  });
}

/** Returns the validation errors as the failure that endpoints report. */
export async function findMilestoneFailure(
  ...args: Parameters<typeof validateMilestone>
): Promise<Failure<'notSaved'> | null> {
  const errors = await validateMilestone(...args);
  return errors && createNotSavedFailure(errors);
}

async function validateMilestoneTitle(
  tx: Transaction,
  parent: GroupOrProject,
  title: string,
  currentMilestone?: MilestoneRow,
): Promise<readonly string[]> {
  if (title === '') return ["can't be blank"];
  if ([...title].length > MAX_TITLE_LENGTH) return [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`];
  if (title === currentMilestone?.title) return [];
  return (await isMilestoneTitleTaken(tx, parent, title)) ? TITLE_TAKEN_ERRORS : [];
}

const TITLE_TAKEN_ERRORS = ['already being used for another group or project milestone.'];

const createNotSavedFailure = (errors: FieldErrors) => fail('notSaved', { errors: formatFieldErrors(errors) });

/** The failure when a concurrent request has taken the title. */
export const MILESTONE_TITLE_TAKEN = createNotSavedFailure({ title: TITLE_TAKEN_ERRORS });
