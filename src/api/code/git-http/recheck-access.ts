import { pipeline, type Readable, Transform } from 'node:stream';
import type { Clock } from '#runtime/clock.ts';

/** How long an access check stays valid. Usual requests end within that time. */
const RECHECK_INTERVAL_MS = 5_000;

/** Returns whether a client still has access. */
export type AccessCheck = () => Promise<boolean>;

/** Returns a check that calls `recheck` again when the last check is too old. `since`: time of the first check. */
export function createAccessCheck(since: Date, clock: Clock, recheck: AccessCheck): AccessCheck {
  let lastCheckMs = since.getTime();
  return async () => {
    const nowMs = clock.now().getTime();
    if (nowMs - lastCheckMs < RECHECK_INTERVAL_MS) return true;
    if (!(await recheck())) return false;
    lastCheckMs = nowMs;
    return true;
  };
}

/**
 * Returns a stream of the request body that fails before the first chunk after the client has lost access. A request may
 * take hours, and git answers from the repository's state at the end of the request.
 */
export function streamWhileAllowed(body: Readable, checkAccess: AccessCheck): Readable {
  const checkingStream = new Transform({
    transform(chunk, _encoding, pass) {
      checkAccess().then(
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
