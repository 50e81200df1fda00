import type { Services } from '#http/services.ts';
import { readEntity } from './store.ts';

/** Milliseconds: so long a source may still be waited for after the end of an import. */
const LOOK_EVERY = 5000;

interface Watched extends Disposable {
  /** Aborted when the entity is no longer to be copied, or the server stops. */
  readonly signal: AbortSignal;
}

/** Whoever waits for a source hears that the import has been cancelled: a fetch may take hours, and has one of few places. */
export function watchEntity(
  { database }: Pick<Services, 'database'>,
  entityId: number,
  stopping: AbortSignal,
): Watched {
  const ended = new AbortController();
  const look = async () => {
    const row = await readEntity(database.forRequest().reader, entityId);
    if (row?.status !== 'started') ended.abort();
  };
  // What cannot be read now is read the next time.
  const timer = setInterval(() => look().catch(() => {}), LOOK_EVERY);
  return {
    signal: AbortSignal.any([stopping, ended.signal]),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
