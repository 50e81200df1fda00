import { findCode, MAX_LINES } from './code.ts';

const TASK = /^[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/;

/**
 * Counts the task list items in the first 10,000 lines of a description, and the completed ones. Items in code are ignored; indented
 * items count.
 */
export function countTasks(description: string | null): { task_count: number; completed_task_count: number } {
  let [all, doneCount, at] = [0, 0, 0];
  const text = description ?? '';
  const code = findCode(text, { indented: false });
  for (const line of text.split('\n', MAX_LINES)) {
    const box = TASK.exec(line)?.[1];
    if (box !== undefined && !code.has(at)) {
      all++;
      if (box !== ' ') doneCount++;
    }
    at += line.length + 1;
  }
  return { task_count: all, completed_task_count: doneCount };
}
