import { type Git, gitFor, ownedBy } from '../git.ts';

/** Those who wait for one and the same work. */
interface Crowd {
  size: number;
  readonly controller: AbortController;
  readonly result: Promise<unknown>;
}

const crowds = ownedBy(() => new Map<string, Crowd>());

/**
 * Work that several may ask for at once: it is done once for all of them, and ends when the last has gone. `work` is given
 * the git room that it must use; `key` names what is asked, the repository included.
 */
export async function together<Result>(git: Git, key: string, work: (git: Git) => Promise<Result>): Promise<Result> {
  const standing = crowds(git);
  const crowd = standing.get(key) ?? gather(git, key, work);
  crowd.size += 1;
  const leave = (): void => {
    crowd.size -= 1;
    if (crowd.size > 0) return;
    // Whoever comes now begins anew.
    if (standing.get(key) === crowd) standing.delete(key);
    crowd.controller.abort();
  };
  const signal = git.client?.signal;
  if (signal?.aborted) leave();
  else signal?.addEventListener('abort', leave, { once: true });
  try {
    return (await crowd.result) as Result;
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

function gather(git: Git, key: string, work: (git: Git) => Promise<unknown>): Crowd {
  const standing = crowds(git);
  const controller = new AbortController();
  const client = {
    signal: controller.signal,
    get gone() {
      return controller.signal.aborted;
    },
  };
  const result = work(gitFor(git, client)).finally(() => {
    if (standing.get(key) === crowd) standing.delete(key);
  });
  const crowd: Crowd = { size: 0, controller, result };
  standing.set(key, crowd);
  return crowd;
}
