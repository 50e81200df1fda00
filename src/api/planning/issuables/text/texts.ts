import { foldCase } from '#database/name-keys.ts';
import { findCodeRanges, MAX_SCANNED_LINES } from './code.ts';

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
export function buildTextColumns({
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

/** Maximum length of a title, in characters. */
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

/** A task list item, perhaps in a block quote. Captures the character in the checkbox. */
const TASK = /^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/;

/**
 * Counts the task list items, and the completed ones, in the first `MAX_SCANNED_LINES` lines of a description. Items in fenced or
 * inline code are ignored. Indented items count.
 */
export function countTasks(description: string | null): { task_count: number; completed_task_count: number } {
  let [taskCount, completedCount, position] = [0, 0, 0];
  const text = description ?? '';
  const code = findCodeRanges(text, { indented: false });
  for (const line of text.split('\n', MAX_SCANNED_LINES)) {
    const checkbox = TASK.exec(line)?.[1];
    if (checkbox !== undefined && !code.has(position)) {
      taskCount++;
      if (checkbox !== ' ') completedCount++;
    }
    position += line.length + 1;
  }
  return { task_count: taskCount, completed_task_count: completedCount };
}
