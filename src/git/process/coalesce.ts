import { definePerGit, type Git, gitForClient } from '../git.ts';

/** Callers that wait for the same work. */
interface SharedWork {
  waiters: number;
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
}

const getSharedWorkByKey = definePerGit(() => new Map<string, SharedWork>());

/**
 * Runs `work` once for all concurrent callers of one network with the same `workKey` (which includes the repository).
 * Networks share nothing, so that no caller waits for another network's place in a queue. The work is cancelled when the
 * last caller disconnects. `work` must use the `Git` that it gets.
 */
export async function coalesce<Result>(
  git: Git,
  workKey: string,
  work: (git: Git) => Promise<Result>,
): Promise<Result> {
  const key = `${git.client?.network ?? ''} ${workKey}`;
  const workByKey = getSharedWorkByKey(git);
  const shared = workByKey.get(key) ?? startSharedWork(git, key, work);
  shared.waiters += 1;
  const removeWaiter = (): void => {
    shared.waiters -= 1;
    if (shared.waiters > 0) return;
    // Later callers start new work.
    if (workByKey.get(key) === shared) workByKey.delete(key);
    shared.controller.abort();
  };
  const signal = git.client?.signal;
  if (signal?.aborted) removeWaiter();
  else signal?.addEventListener('abort', removeWaiter, { once: true });
  try {
    return (await shared.result) as Result;
  } finally {
    signal?.removeEventListener('abort', removeWaiter);
  }
}

function startSharedWork(git: Git, key: string, work: (git: Git) => Promise<unknown>): SharedWork {
  const workByKey = getSharedWorkByKey(git);
  const controller = new AbortController();
  const client = {
    signal: controller.signal,
    network: git.client?.network ?? '',
    get isDisconnected() {
      return controller.signal.aborted;
    },
    measureStall: () => 0,
    disconnect: () => controller.abort(),
  };
  const result = work(gitForClient(git, client)).finally(() => {
    if (workByKey.get(key) === shared) workByKey.delete(key);
  });
  const shared: SharedWork = { waiters: 0, controller, result };
  workByKey.set(key, shared);
  return shared;
}
