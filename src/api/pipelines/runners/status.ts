import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Columns, Schema } from '#database/database.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';

// Time-dependent status of runners (contract/runners.md "States").
// `now` and all timestamps are ISO 8601 texts, so that text order is time order.

const ONLINE_PERIOD_MS = 2 * 3_600_000;
const STALE_AFTER_MS = 7 * DAY_MS;

/** The fields that determine the status. */
type ContactState = Columns<'runners', 'contacted_at' | 'created_at'>;

export const RUNNER_STATUSES = ['online', 'offline', 'stale', 'never_contacted', 'paused'] as const;
type RunnerStatus = (typeof RUNNER_STATUSES)[number];

/**
 * The values of the status filter. `active` and `paused` are deprecated: they filter by whether the runner is paused.
 */
export const STATUS_FILTERS = ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

/** Returns whether the last contact was within two hours; null if there was none. */
export function isOnline({ contacted_at }: ContactState, now: string): boolean | null {
  return contacted_at === null ? null : contacted_at > getOnlineThreshold(now);
}

/** Returns the status of a runner, or of a manager, which is never paused. */
export function getRunnerStatus(row: ContactState & { readonly paused?: boolean }, now: string): RunnerStatus {
  if (isStale(row, now)) return 'stale';
  if (row.contacted_at === null) return 'never_contacted';
  if (row.paused) return 'paused';
  return isOnline(row, now) ? 'online' : 'offline';
}

/**
 * Builds the condition of the filter. `offline` includes stale runners, `online` includes paused ones.
 * index: runners_by_contact, runners_by_creation, runners_by_paused
 */
export function buildStatusCondition(filter: StatusFilter, now: string) {
  return (eb: ExpressionBuilder<Schema, 'runners'>): Expression<SqlBool> => {
    switch (filter) {
      case 'active':
        return eb('runners.paused', '=', false);
      case 'paused':
        return eb('runners.paused', '=', true);
      case 'online':
        return eb('runners.contacted_at', '>', getOnlineThreshold(now));
      case 'offline':
        return eb('runners.contacted_at', '<=', getOnlineThreshold(now));
      case 'never_contacted':
        return eb('runners.contacted_at', 'is', null);
      case 'stale':
        return eb.and([
          eb('runners.created_at', '<=', getStaleThreshold(now)),
          eb.or([eb('runners.contacted_at', 'is', null), eb('runners.contacted_at', '<=', getStaleThreshold(now))]),
        ]);
    }
  };
}

/** Returns the latest contact time at which a runner counts as stale. */
export function getStaleThreshold(now: string): string {
  return addMilliseconds(now, -STALE_AFTER_MS);
}

function getOnlineThreshold(now: string): string {
  return addMilliseconds(now, -ONLINE_PERIOD_MS);
}

function isStale({ contacted_at, created_at }: ContactState, now: string): boolean {
  const threshold = getStaleThreshold(now);
  return created_at <= threshold && (contacted_at === null || contacted_at <= threshold);
}
