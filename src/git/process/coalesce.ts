import { definePerGit, type Git, gitForClient } from '../git.ts';

/** Callers that wait for the same work. */
interface SharedWork {
  waiters: number;
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
}

const sharedWorks = definePerGit(() => new Map<string, SharedWork>());

/**
 * Runs `work` once for all concurrent callers of one network with the same `about` (which includes the repository): nobody
 * waits for the turn of another network. It is cancelled when the last caller disconnects. `work` must use the `Git`
 * that it gets.
 */
export async function coalesce<Result>(git: Git, about: string, work: (git: Git) => Promise<Result>): Promise<Result> {
  const key = `${git.client?.network ?? ''} ${about}`;
  const works = sharedWorks(git);
  const shared = works.get(key) ?? startSharedWork(git, key, work);
  shared.waiters += 1;
  const leave = (): void => {
    shared.waiters -= 1;
    if (shared.waiters > 0) return;
    // Later callers start new work.
    if (works.get(key) === shared) works.delete(key);
    shared.controller.abort();
  };
  const signal = git.client?.signal;
  if (signal?.aborted) leave();
  else signal?.addEventListener('abort', leave, { once: true });
  try {
    return (await shared.result) as Result;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

function startSharedWork(git: Git, key: string, work: (git: Git) => Promise<unknown>): SharedWork {
  const works = sharedWorks(git);
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
    if (works.get(key) === shared) works.delete(key);
  });
  const shared: SharedWork = { waiters: 0, controller, result };
  works.set(key, shared);
  return shared;
}
