import type { Transaction } from '#database/database.ts';
import { prepareForIds, prepareForRows, type RowParameters } from '#database/prepare.ts';

/** Rate limit of stored events per project and minute (contract/monitoring.md §11 "Rate"). */

/** Length of a window, in milliseconds. A window starts with the first event that is counted in it. */
const WINDOW_MS = 60_000;

interface RateWindow {
  readonly project_id: number;
  readonly started_at: string;
  /** Number of events counted in this window. */
  readonly counted: number;
}

/** Counts events of some projects within one transaction. */
interface EventRateLimiter {
  /**
   * Counts events and returns null. If they exceed the limit, counts none of them and returns the seconds until the next
   * window.
   */
  countEvents(projectId: number, events: number, limits: { readonly eventsPerMinute: number | null }): number | null;
  /** Saves the counters. */
  save(): Promise<void>;
}

/** Creates a rate limiter with the stored windows of these projects. Windows that have ended count as empty. */
export async function createEventRateLimiter(
  tx: Transaction,
  projectIds: readonly number[],
): Promise<EventRateLimiter> {
  const rows = await findWindows(tx, [...new Set(projectIds)]);
  const windows = new Map(rows.map((window) => [window.project_id, window]));
  const changedWindows = new Map<number, RateWindow>();
  const now = Date.parse(tx.now);
  // A window that starts too far in the future, after the clock was set back, counts as ended.
  const getRemainingSeconds = ({ started_at }: RateWindow) => {
    const remainingSeconds = Math.ceil((Date.parse(started_at) + WINDOW_MS - now) / 1000);
    return remainingSeconds > 0 && remainingSeconds <= WINDOW_MS / 1000 ? remainingSeconds : 0;
  };
  return {
    countEvents(projectId, events, { eventsPerMinute }) {
      if (events === 0 || eventsPerMinute === null) return null;
      const currentWindow = windows.get(projectId);
      const emptyWindow = { project_id: projectId, started_at: tx.now, counted: 0 };
      const window =
        currentWindow !== undefined && getRemainingSeconds(currentWindow) > 0 ? currentWindow : emptyWindow;
      const eventCount = window.counted + events;
      if (eventCount > eventsPerMinute) return getRemainingSeconds(window);
      const updatedWindow = { ...window, counted: eventCount };
      windows.set(projectId, updatedWindow);
      changedWindows.set(projectId, updatedWindow);
      return null;
    },
    async save() {
      await saveWindows(tx, [...changedWindows.values()]);
    },
  };
}

// index: ingestion_windows primary key
const findWindows = prepareForIds((db, ids) =>
  db.selectFrom('ingestion_windows').select(['project_id', 'started_at', 'counted']).where('project_id', 'in', ids),
);

const saveWindows = prepareForRows(['project_id', 'started_at', 'counted'], (tx, rows: RowParameters<RateWindow>) =>
  tx
    .insertInto('ingestion_windows')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('project_id').doUpdateSet((eb) => ({
        started_at: eb.ref('excluded.started_at'),
        counted: eb.ref('excluded.counted'),
      })),
    ),
);
