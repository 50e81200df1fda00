import { findCodeRanges, MAX_SCANNED_LINES } from './code.ts';

/** A task list item, perhaps in a block quote. Captures the character in the checkbox. */
const TASK = /^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/;

/**
 * Counts the task list items, and the completed ones, in the first `MAX_SCANNED_LINES` lines of a description. Items in code are ignored.
 * Indented items count.
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
