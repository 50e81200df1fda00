import type { Services } from '#http/services.ts';
import { findEntityById } from './store.ts';

/** Milliseconds between two checks. A cancelled import waits at most this long for its source. */
const CHECK_INTERVAL_MS = 5000;

interface EntityWatch extends Disposable {
  /** Aborted when the state of the entity is no longer `started`, or when the server stops. */
  readonly signal: AbortSignal;
}

/** Aborts calls to a source when the import is cancelled. A fetch may take hours and occupies one of few job slots. */
export function watchEntity(
  { database }: Pick<Services, 'database'>,
  entityId: number,
  stopSignal: AbortSignal,
): EntityWatch {
  const controller = new AbortController();
  const check = async () => {
    const row = await findEntityById(database.forRequest().reader, entityId);
    if (row?.status !== 'started') controller.abort();
  };
  // An unavailable database is ignored: the next check reads the row.
  const timer = setInterval(() => check().catch(() => {}), CHECK_INTERVAL_MS);
  return {
    signal: AbortSignal.any([stopSignal, controller.signal]),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
