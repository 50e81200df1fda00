const TASK = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/;

/** How many check boxes a description has, and how many of them are ticked. */
export function countTasks(description: string | null): { task_count: number; completed_task_count: number } {
  let [all, done] = [0, 0];
  for (const line of (description ?? '').split('\n')) {
    const box = TASK.exec(line)?.[1];
    if (box === undefined) continue;
    all++;
    if (box !== ' ') done++;
  }
  return { task_count: all, completed_task_count: done };
}
