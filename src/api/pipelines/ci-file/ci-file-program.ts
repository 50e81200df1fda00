import { serveRequests } from '#runtime/thread-program.ts';
import type { CiFileAnswer, CiFileQuestion } from './ci-file-thread.ts';
import { type CiFileEvaluation, type CiFileTask, evaluateCiFile } from './evaluate.ts';
import { selectEffectiveVariables } from './expressions/variable-precedence.ts';
import type { CiVariable } from './expressions/variables.ts';
import type { PlanContext, PlanContextData } from './plan/plan-context.ts';
import { TOO_LARGE } from './yaml/includes.ts';

// Runs in a thread, because a file of a few kilobytes can take arbitrarily much time and memory to evaluate.

serveRequests<CiFileTask, CiFileEvaluation, CiFileQuestion, CiFileAnswer>((task, ask) =>
  evaluateCiFile(task, {
    async readFile(path) {
      const answer = (await ask({ file: path })) as Extract<CiFileAnswer, { text: unknown }>;
      return answer.tooLarge ? TOO_LARGE : answer.text;
    },
    async loadContext(context) {
      const answer = (await ask({ context })) as Exclude<CiFileAnswer, { text: unknown }>;
      return 'invalid' in answer ? answer : toContext(answer.context);
    },
  }),
);

/** Jobs of the same environment get the same stored variables. */
function toContext({ storedVariables, protectedRef, ...data }: PlanContextData): PlanContext {
  const known = new Map<string | null, readonly CiVariable[]>();
  return {
    ...data,
    storedVariables(environment) {
      const found =
        known.get(environment) ??
        selectEffectiveVariables(storedVariables, { protected: protectedRef, environment }).map(
          ({ variable }) => variable,
        );
      known.set(environment, found);
      return found;
    },
  };
}
