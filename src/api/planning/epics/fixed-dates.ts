import type { Epic } from '#authorization/epics.ts';

/** The days of an epic that are fixed. */
type Fixed = Pick<Epic, 'dates_are_fixed' | 'start_date_fixed' | 'due_date_fixed'>;

/** As it was sent; the last two are old names. */
interface Sent {
  readonly start_date_fixed?: string | null | undefined;
  readonly due_date_fixed?: string | null | undefined;
  readonly start_date_is_fixed?: boolean | null | undefined;
  readonly due_date_is_fixed?: boolean | null | undefined;
  readonly start_date?: string | null | undefined;
  readonly end_date?: string | null | undefined;
}

/** What they become: both days share one flag, which a day or a `true` sets, and otherwise a `false` takes back. */
export function fixedDates(before: Fixed, sent: Sent): Fixed {
  const start = sent.start_date_fixed === undefined ? sent.start_date : sent.start_date_fixed;
  const due = sent.due_date_fixed === undefined ? sent.end_date : sent.due_date_fixed;
  const flags = [sent.start_date_is_fixed, sent.due_date_is_fixed];
  const set = start != null || due != null || flags.includes(true);
  return {
    dates_are_fixed: set || (before.dates_are_fixed && !flags.includes(false)),
    start_date_fixed: start === undefined ? before.start_date_fixed : start,
    due_date_fixed: due === undefined ? before.due_date_fixed : due,
  };
}
