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
  return timestamp(clock).slice(0, 10);
}
