import type { Transaction } from '#database/database.ts';
import type { Place } from '#domain/namespaces/scope.ts';
import { errorsInText, type Failure, type FieldErrors, fail, fieldErrors } from '#runtime/failure.ts';
import { isTitleTaken, type MilestoneContent, type MilestoneRow } from './store.ts';

/** Characters of a title. */
const LONGEST = 255;

/**
 * Null, or why a milestone of this place can't say this. `before`: the milestone itself, if it is there already; a title
 * that it has had counts as free, for moves of projects and groups can bring two of one title together.
 */
export async function contentErrors(
  tx: Transaction,
  place: Place,
  { title, start_date: start, due_date: due }: MilestoneContent,
  before?: MilestoneRow,
): Promise<FieldErrors | null> {
  return fieldErrors({
    title: await titleErrors(tx, place, title, before),
    due_date: start !== null && due !== null && due <= start ? ['must be greater than start date'] : [],
  });
}

/** The same, as endpoints tell it. */
export async function contentFailure(
  ...content: Parameters<typeof contentErrors>
): Promise<Failure<'notSaved'> | null> {
  const errors = await contentErrors(...content);
  return errors && notSaved(errors);
}

async function titleErrors(
  tx: Transaction,
  place: Place,
  title: string,
  before?: MilestoneRow,
): Promise<readonly string[]> {
  if (title === '') return ["can't be blank"];
  if ([...title].length > LONGEST) return [`is too long (maximum is ${LONGEST} characters)`];
  if (title === before?.title) return [];
  return (await isTitleTaken(tx, place, title)) ? TAKEN : [];
}

const TAKEN = ['already being used for another group or project milestone.'];

const notSaved = (errors: FieldErrors) => fail('notSaved', { errors: errorsInText(errors) });

/** Somebody else has got the title meanwhile. */
export const TITLE_TAKEN = notSaved({ title: TAKEN });
