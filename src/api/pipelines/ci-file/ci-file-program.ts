import { serveRequests } from '#runtime/thread-program.ts';
import type { CiFileAnswer, CiFileQuestion } from './ci-file-thread.ts';
import { type CiFileEvaluation, type CiFileTask, evaluateCiFile } from './evaluate.ts';
import { type CiVariable, selectEffectiveVariables } from './expressions/variables.ts';
import type { LoadPaths, PlanContext, PlanContextData } from './plan/plan-context.ts';
import { TOO_LARGE } from './yaml/includes.ts';

// Runs in a thread, because a file of a few kilobytes can take arbitrarily much time and memory to evaluate.

serveRequests<CiFileTask, CiFileEvaluation, CiFileQuestion, CiFileAnswer>((task, askHost) => {
  const loadPaths: LoadPaths = async (pathSource) => {
    const reply = (await askHost({ pathSource })) as Extract<CiFileAnswer, { paths: unknown } | { invalid: string }>;
    return 'invalid' in reply ? reply.invalid : reply.paths;
  };
  return evaluateCiFile(task, {
    async readFile(path) {
      const reply = (await askHost({ file: path })) as Extract<CiFileAnswer, { text: unknown }>;
      return reply.tooLarge ? TOO_LARGE : reply.text;
    },
    async loadContext(context) {
      const reply = (await askHost({ context })) as Exclude<CiFileAnswer, { text: unknown } | { paths: unknown }>;
      return 'invalid' in reply ? reply : toContext(reply.context, loadPaths);
    },
  });
});

/** Jobs of the same environment get the same stored variables. */
function toContext(
  { storedVariables, isProtectedRef: protectedRef, ...data }: PlanContextData,
  loadPaths: LoadPaths,
): PlanContext {
  const variablesByEnvironment = new Map<string | null, readonly CiVariable[]>();
  return {
    ...data,
    loadPaths,
    storedVariables(environment) {
      const variables =
        variablesByEnvironment.get(environment) ??
        selectEffectiveVariables(storedVariables, { protected: protectedRef, environment }).map(
          ({ variable }) => variable,
        );
      variablesByEnvironment.set(environment, variables);
      return variables;
    },
  };
}
