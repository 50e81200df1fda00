import { pipeline, type Readable, Transform } from 'node:stream';
import type { Clock } from '#runtime/clock.ts';

/** How long an access check stays valid, in milliseconds. Honest clients send everything within that time. */
const RECHECK_INTERVAL_MS = 5_000;

/** Tells whether a client still has access. */
export type AccessCheck = () => Promise<boolean>;

/** Returns a check that calls `recheck` again when the last check is too old. `since`: time of the first check. */
export function createAccessCheck(since: Date, clock: Clock, recheck: AccessCheck): AccessCheck {
  let read = since.getTime();
  return async () => {
    const now = clock.now().getTime();
    if (now - read < RECHECK_INTERVAL_MS) return true;
    if (!(await recheck())) return false;
    read = now;
    return true;
  };
}

/**
 * Passes on a request body while the client has access. A request may take hours, and git answers from the
 * repository's state at its end. The stream fails before the chunk at which access was lost.
 */
export function streamWhileAllowed(body: Readable, allowed: AccessCheck): Readable {
  const checkingStream = new Transform({
    transform(chunk, _encoding, pass) {
      allowed().then(
        (isAllowed) =>
          isAllowed ? pass(null, chunk) : pass(new Error('The client has lost access to the repository')),
        (error: unknown) => pass(error as Error),
      );
    },
  });
  // The reader sees errors of both streams.
  pipeline(body, checkingStream, () => {});
  return checkingStream;
}
