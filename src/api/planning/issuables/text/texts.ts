import { foldCase } from '#database/name-keys.ts';
import { countTasks } from './tasks.ts';

interface Texts {
  readonly title?: string;
  readonly description?: string | null;
}

/** What is kept beside the texts of a thing: what they are searched by, and how many check boxes there are. */
export function besideTexts({ title, description }: Texts) {
  return {
    ...(title === undefined ? {} : { title_key: foldCase(title) }),
    ...(description === undefined
      ? {}
      : { description_key: description === null ? null : foldCase(description), ...countTasks(description) }),
  };
}

/** The columns of a new thing that say the same. */
export function newTexts({ title, description }: { readonly title: string; readonly description: string | null }) {
  return {
    title,
    title_key: foldCase(title),
    description,
    description_key: description === null ? null : foldCase(description),
    ...countTasks(description),
  };
}

const LONGEST_TITLE = 255;

/** What is wrong with a title that is sent; undefined is none that is. */
export function titleErrors(title: string | null | undefined): string[] {
  if (title === undefined) return [];
  if ((title ?? '').trim() === '') return ["can't be blank"];
  // What a quick action says, no parameter's limit has seen.
  return [...(title ?? '')].length > LONGEST_TITLE ? [`is too long (maximum is ${LONGEST_TITLE} characters)`] : [];
}
