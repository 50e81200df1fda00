import { foldCase } from '#database/name-keys.ts';
import { countTasks } from './tasks.ts';

interface IssuableTextInput {
  readonly title?: string;
  readonly description?: string | null;
}

/** Returns the columns derived from changed texts: search keys and task counts. */
export function derivedTextColumns({ title, description }: IssuableTextInput) {
  return {
    ...(title === undefined ? {} : { title_key: foldCase(title) }),
    ...(description === undefined
      ? {}
      : { description_key: description === null ? null : foldCase(description), ...countTasks(description) }),
  };
}

/** Returns the text columns of a new issuable, with the derived columns. */
export function newTextColumns({
  title,
  description,
}: {
  readonly title: string;
  readonly description: string | null;
}) {
  return {
    title,
    title_key: foldCase(title),
    description,
    description_key: description === null ? null : foldCase(description),
    ...countTasks(description),
  };
}

const MAX_TITLE_LENGTH = 255;

/** Returns the validation errors of a title; undefined means that the request does not set the title. */
export function validateTitle(title: string | null | undefined): string[] {
  if (title === undefined) return [];
  if ((title ?? '').trim() === '') return ["can't be blank"];
  // The length limit of the parameter does not apply to titles from quick actions.
  return [...(title ?? '')].length > MAX_TITLE_LENGTH
    ? [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`]
    : [];
}
