import type { Transaction } from '#database/database.ts';
import { prepareForIds, prepareForRows, type RowParameters } from '#database/prepare.ts';

/** How many events a project may have stored in a minute (contract/monitoring.md §11 "Rate"). */

/** Milliseconds of a window, which begins with the first event that is counted in it. */
const WINDOW = 60_000;

interface Window {
  readonly project_id: number;
  readonly started_at: string;
  readonly counted: number;
}

/** The windows of some projects, as they are in this transaction. */
interface Rate {
  /** Counts so many more; when they are too many, nothing is counted, and told is in how many seconds it is worth another try. */
  take(projectId: number, events: number, most: { readonly eventsPerMinute: number | null }): number | null;
  /** Writes what has been counted. */
  write(): Promise<void>;
}

export async function rateOf(tx: Transaction, projectIds: readonly number[]): Promise<Rate> {
  const found = await windowsOf(tx, [...new Set(projectIds)]);
  const windows = new Map(found.map((window) => [window.project_id, window]));
  const changed = new Map<number, Window>();
  const now = Date.parse(tx.now);
  const secondsLeft = ({ started_at }: Window) => {
    const left = Math.ceil((Date.parse(started_at) + WINDOW - now) / 1000);
    return left > 0 && left <= WINDOW / 1000 ? left : 0;
  };
  return {
    take(projectId, events, { eventsPerMinute }) {
      if (events === 0 || eventsPerMinute === null) return null;
      const known = windows.get(projectId);
      const begun = { project_id: projectId, started_at: tx.now, counted: 0 };
      const window = known !== undefined && secondsLeft(known) > 0 ? known : begun;
      const counted = window.counted + events;
      if (counted > eventsPerMinute) return secondsLeft(window);
      const next = { ...window, counted };
      windows.set(projectId, next);
      changed.set(projectId, next);
      return null;
    },
    async write() {
      await writeWindows(tx, [...changed.values()]);
    },
  };
}

// index: ingestion_windows primary key
const windowsOf = prepareForIds((db, ids) =>
  db.selectFrom('ingestion_windows').select(['project_id', 'started_at', 'counted']).where('project_id', 'in', ids),
);

const writeWindows = prepareForRows(['project_id', 'started_at', 'counted'], (tx, rows: RowParameters<Window>) =>
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
