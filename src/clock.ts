/** The only source of time. Tests inject one that they move by hand; nothing else in Hearth asks the machine. */
export interface Clock {
  /** The present moment. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The moment in the form that is stored and goes on the wire: ISO 8601, UTC, milliseconds. */
export function timestamp(clock: Clock): string {
  return clock.now().toISOString();
}

/** Today's UTC date, `YYYY-MM-DD`. */
export function today(clock: Clock): string {
  return dayOf(timestamp(clock));
}

/** The UTC date of a stored moment. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

export const DAY_MS = 86_400_000;

/** The date so many days after (before, with a negative number) this date. */
export function daysAfter(date: string, days: number): string {
  return dayOf(new Date(Date.parse(date) + days * DAY_MS).toISOString());
}

/** The moment so many milliseconds after (before, with a negative number) this moment. */
export function momentAfter(moment: string, milliseconds: number): string {
  return new Date(Date.parse(moment) + milliseconds).toISOString();
}
