import { pipeline, type Readable, Transform } from 'node:stream';
import type { Clock } from '#runtime/clock.ts';

/** For so long a right that has been read is believed, in milliseconds: what an honest client sends is there by then. */
const BELIEVED = 5_000;

/** Whether a client, who was let in some time ago, would be let in still. */
export type Allowed = () => Promise<boolean>;

/** `mayStill` asks the door again, `since` when it was asked first. */
export function allowedSince(since: Date, clock: Clock, mayStill: Allowed): Allowed {
  let read = since.getTime();
  return async () => {
    const now = clock.now().getTime();
    if (now - read < BELIEVED) return true;
    if (!(await mayStill())) return false;
    read = now;
    return true;
  };
}

/**
 * What a client sends, while he would be let in: a request may drip for hours, and git answers what it asks in the end of what
 * the repository holds by then. For git what he sends breaks off in front of the piece at which he has lost his right.
 */
export function whileAllowed(body: Readable, allowed: Allowed): Readable {
  const checked = new Transform({
    transform(piece, _encoding, pass) {
      allowed().then(
        (still) => (still ? pass(null, piece) : pass(new Error('The client would not be let in any more'))),
        (error: unknown) => pass(error as Error),
      );
    },
  });
  // Whoever reads it hears of the end of either.
  pipeline(body, checked, () => {});
  return checked;
}
