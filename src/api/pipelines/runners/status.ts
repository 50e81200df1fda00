import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { Schema } from '#database/database.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';

/**
 * What a runner does, by the clock (contract/runners.md "States"): each question in its two forms, of a row and as a
 * condition of lists. `now` and all moments are ISO 8601 texts, which sort as they come.
 */

const ONLINE_MS = 2 * 3_600_000;
const STALE_MS = 7 * DAY_MS;

/** What it is asked of. */
export interface ContactState {
  readonly contacted_at: string | null;
  readonly created_at: string;
}

export const RUNNER_STATUSES = ['online', 'offline', 'stale', 'never_contacted', 'paused'] as const;
export type RunnerStatus = (typeof RUNNER_STATUSES)[number];

/** By which lists are filtered; `active` and `paused` are old words for the runner's switch. */
export const STATUS_FILTERS = ['active', 'paused', 'online', 'offline', 'never_contacted', 'stale'] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];

/** Was it heard of within two hours? Null: it never was. */
export function isOnline({ contacted_at }: ContactState, now: string): boolean | null {
  return contacted_at === null ? null : contacted_at > onlineSince(now);
}

/** The status of a runner, or of a manager, which is never paused. */
export function getRunnerStatus(row: ContactState & { readonly paused?: boolean }, now: string): RunnerStatus {
  if (isStale(row, now)) return 'stale';
  if (row.contacted_at === null) return 'never_contacted';
  if (row.paused) return 'paused';
  return isOnline(row, now) ? 'online' : 'offline';
}

/** Is the runner in this filter's set? The sets overlap: `offline` has stale ones too, `online` those that are paused. */
export function matchesStatus(
  row: ContactState & { readonly paused: boolean },
  filter: StatusFilter,
  now: string,
): boolean {
  switch (filter) {
    case 'active':
      return !row.paused;
    case 'paused':
      return row.paused;
    case 'online':
      return isOnline(row, now) === true;
    case 'offline':
      return isOnline(row, now) === false;
    case 'never_contacted':
      return row.contacted_at === null;
    case 'stale':
      return isStale(row, now);
  }
}

/** The same as a condition. index: runners_by_contact, runners_by_creation, runners_by_paused */
export function hasStatus(filter: StatusFilter, now: string) {
  return (eb: ExpressionBuilder<Schema, 'runners'>): Expression<SqlBool> => {
    switch (filter) {
      case 'active':
        return eb('runners.paused', '=', false);
      case 'paused':
        return eb('runners.paused', '=', true);
      case 'online':
        return eb('runners.contacted_at', '>', onlineSince(now));
      case 'offline':
        return eb('runners.contacted_at', '<=', onlineSince(now));
      case 'never_contacted':
        return eb('runners.contacted_at', 'is', null);
      case 'stale':
        return eb.and([
          eb('runners.created_at', '<=', staleThreshold(now)),
          eb.or([eb('runners.contacted_at', 'is', null), eb('runners.contacted_at', '<=', staleThreshold(now))]),
        ]);
    }
  };
}

/** What was last heard of before this moment, or then, has been silent for as long as makes a runner stale. */
export function staleThreshold(now: string): string {
  return addMilliseconds(now, -STALE_MS);
}

function onlineSince(now: string): string {
  return addMilliseconds(now, -ONLINE_MS);
}

function isStale({ contacted_at, created_at }: ContactState, now: string): boolean {
  const limit = staleThreshold(now);
  return created_at <= limit && (contacted_at === null || contacted_at <= limit);
}
