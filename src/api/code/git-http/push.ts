import type { Readable, Writable } from 'node:stream';
import { gitFor } from '#git/git.ts';
import { refTurns } from '#git/refs/ref-lock.ts';
import { removeStaleLocksOfRefs } from '#git/refs/stale-locks.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { ensureRepository } from '#git/storage/storage.ts';
import { type Push, receivePack } from '#git/transport/receive-pack.ts';
import { settleIntent } from '#repositories/ref-updates/complete-intent.ts';
import { holdIntent } from '#repositories/ref-updates/intent-lease.ts';
import type { Intent } from '#repositories/ref-updates/intents.ts';
import { dropIntent } from '#repositories/ref-updates/move-refs.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { QueueFull } from '#runtime/concurrency-limiter.ts';

/** What is pushed to: a repository of some kind, which says what may be done to it. */
export interface Receiving {
  readonly at: Placed;
  /** Before any ref moves: the intent, or what the client is told. */
  begin(services: RefServices, asked: Push): Promise<Intent | string>;
}

/** Both ends of the client's connection. */
interface Pushing {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * A push: checked in quarantine, written down as an intent, moved by git, settled before the client's connection ends.
 * What moved is what git says has moved, ref by ref.
 */
export async function push(requested: RefServices, receiving: Receiving, { input, output }: Pushing): Promise<void> {
  const { at } = receiving;
  // A client that goes away when its pack is whole does not stop its push.
  const services = { ...requested, git: gitFor(requested.git, null) };
  await ensureRepository(repositoryOf(services.git, at), { defaultBranch: at.default_branch });
  let intent: Intent | null = null;
  let letGo = async () => {};
  const received = receivePack(services.git, repositoryOf(services.git, at), {
    input,
    output,
    async check(asked) {
      const begun = await receiving.begin(services, asked);
      if (typeof begun === 'string') return { refuse: begun };
      intent = begun;
      letGo = holdIntent(services, begun);
      return 'accept';
    },
    async after(moved) {
      if (intent === null) return;
      await (moved.length === 0 ? dropIntent(services, intent) : settleIntent(services, intent, moved));
      // A lock may have been in the way, and be nobody's: the next push finds none.
      if (moved.length < intent.changes.length) await clearLocks(services, at, intent, moved);
    },
  });
  await received.finally(() => letGo());
}

/** Removes stale locks of the refs that have stayed where they were. */
async function clearLocks({ git }: RefServices, at: Placed, { changes }: Intent, moved: readonly RefChange[]) {
  const repository = repositoryOf(git, at);
  const done = new Set(moved.map(({ ref }) => ref));
  const left = changes.map(({ ref }) => ref).filter((ref) => !done.has(ref));
  try {
    await refTurns(git)(repository.directory, () => removeStaleLocksOfRefs(git, repository, left));
  } catch (error) {
    // Whoever stands in the line will find the locks himself.
    if (!(error instanceof QueueFull)) throw error;
  }
}
