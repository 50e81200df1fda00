import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { createWorkerThread, resolveSiblingProgram, ThreadTerminated } from '#runtime/worker-thread.ts';
import { type CiFileEvaluation, type CiFileTask, failedEvaluation } from './evaluate.ts';
import type { PathSource, Paths } from './expressions/paths.ts';
import type { ContextNeeds, LoadPaths, PlanContextData } from './plan/plan-context.ts';
import { type ReadFile, TOO_LARGE } from './yaml/includes.ts';
import { fileTooLarge } from './yaml/values.ts';

/** A question that the thread asks while it evaluates a file. */
export type CiFileQuestion =
  | { readonly file: string }
  | { readonly context: ContextNeeds }
  | { readonly pathSource: PathSource };

/** The answer to a question. `invalid` is an error of the file. */
export type CiFileAnswer =
  | { readonly text: string | null; readonly tooLarge: boolean }
  | { readonly context: PlanContextData }
  | { readonly paths: Paths }
  | { readonly invalid: string };

/** Loads the data that the thread requests. The last two functions are needed only to plan a pipeline. */
export interface CiFileSources {
  readonly readFile: ReadFile;
  /** Called once, for a valid file whose pipeline is planned. `invalid` is an error of the file. */
  readonly loadContext?: (needs: ContextNeeds) => Promise<PlanContextData | { readonly invalid: string }>;
  readonly loadPaths?: LoadPaths;
}

const thread = createWorkerThread<CiFileTask, CiFileEvaluation, CiFileQuestion, CiFileAnswer>({
  program: resolveSiblingProgram(import.meta.url, 'ci-file-program'),
  maxOldGenerationSizeMb: 192,
  timeoutMs: 5_000,
  queue: { maxWaiting: 200, retryAfterSeconds: 5 },
});

/** The client that waits for an evaluation. */
export interface EvaluationClient {
  readonly client: RequestClient;
}

/**
 * Evaluates a CI file in a thread with limits of time and memory. A file that exceeds them is invalid. `client` is null for a
 * background job. Throws `QueueFull` if too many files wait, and `ClientDisconnected`.
 */
export async function evaluateInThread(
  task: CiFileTask,
  sources: CiFileSources,
  client: EvaluationClient | null,
): Promise<CiFileEvaluation> {
  try {
    const waiter = client === null ? { exemptFromLimit: true } : { client: client.client };
    return await thread.run(task, { waiter, answerQuestion: (ciQuestion) => answerQuestion(ciQuestion, sources) });
  } catch (error) {
    if (error instanceof ThreadTerminated) return failedEvaluation(fileTooLarge().message);
    throw error;
  }
}

async function answerQuestion(
  ciQuestion: CiFileQuestion,
  { readFile, loadContext, loadPaths }: CiFileSources,
): Promise<CiFileAnswer> {
  if ('file' in ciQuestion) {
    const text = await readFile(ciQuestion.file);
    return text === TOO_LARGE ? { text: null, tooLarge: true } : { text, tooLarge: false };
  }
  if ('pathSource' in ciQuestion) {
    const paths = await loadPaths!(ciQuestion.pathSource);
    return typeof paths === 'string' ? { invalid: paths } : { paths };
  }
  const context = await loadContext!(ciQuestion.context);
  return 'invalid' in context ? context : { context };
}
