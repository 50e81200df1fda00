import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Caller } from '#authentication/caller.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import type { RunUnitOfWork, UnitOfWork } from './unit-of-work.ts';

/** Maximum number of rows that one batch changes. */
export const BATCH_SIZE = 500;

/** Returned by a batch that leaves more to do. */
export const MORE = Symbol('more');

/**
 * Runs the steps in order until one has handled a full batch; returns MORE then. Each step handles at most BATCH_SIZE
 * rows and returns how many it handled.
 */
export async function runBatchSteps(...steps: readonly (() => Promise<number>)[]): Promise<typeof MORE | undefined> {
  for (const step of steps) if ((await step()) === BATCH_SIZE) return MORE;
  return undefined;
}

interface BatchedWork<By extends Caller, CheckResult, Code extends string, T> {
  /**
   * Runs at the start of each batch, and passes its result to the batch: other requests may have changed anything since
   * the last one. Throws `AccessRevoked` if the caller has lost access (`authorization/current-access.ts`); a Failure
   * ends the work. `hasBegun`: whether a batch has been committed already.
   */
  readonly recheck: (uow: UnitOfWork<By>, hasBegun: boolean) => Promise<CheckResult | Failure<Code>>;
  readonly runBatch: (uow: UnitOfWork<By>, checkResult: CheckResult) => Promise<T | typeof MORE>;
}

/** A `recheck` for background work without permission checks, which finds nothing to do if the data has changed. */
export const recheckNothing = async (): Promise<undefined> => undefined;

/**
 * Runs `runBatch` in separate transactions until it returns something other than MORE, so that other writers are not
 * blocked for long. For work that can be interrupted after any batch and requested again.
 */
export async function runInBatches<By extends Caller, CheckResult, Code extends string, T>(
  runUnitOfWork: RunUnitOfWork,
  actor: By,
  { recheck, runBatch }: BatchedWork<By, CheckResult, Code, T>,
): Promise<T | Failure<Code>> {
  for (let hasBegun = false; ; hasBegun = true) {
    const result = await runUnitOfWork(actor, async (uow: UnitOfWork<By>) => {
      const checkResult = await recheck(uow, hasBegun);
      return isFailure(checkResult) ? (checkResult as Failure<Code>) : runBatch(uow, checkResult as CheckResult);
    });
    if (result !== MORE) return result as T | Failure<Code>;
    await yieldToOthers();
  }
}
