import { type Clock, DAY_MS } from '#runtime/clock.ts';

/** A clock that the demo advances by hand, so that a year passes in seconds. */
export interface StoryClock extends Clock {
  /** Advances to a time of a day after the start, `9:30`, unless it is later already. */
  advanceTo(day: number, time: string): void;
  /** Advances by seconds. */
  pass(seconds: number): void;
}

/** Number of days that the demo covers. */
export const STORY_DAYS = 365;

/** Creates a clock that starts at midnight, `STORY_DAYS` before the day of `end`, and never passes `end`. */
export function createStoryClock(end: Date): StoryClock {
  const endTime = end.getTime();
  const start = Math.floor(endTime / DAY_MS) * DAY_MS - STORY_DAYS * DAY_MS;
  let time = start;
  const advance = (target: number) => {
    time = Math.min(Math.max(time, target), endTime);
  };
  return {
    now: () => new Date(time),
    advanceTo(day, clockTime) {
      const [hours = 0, minutes = 0] = clockTime.split(':').map(Number);
      advance(start + day * DAY_MS + hours * 3_600_000 + minutes * 60_000);
    },
    pass: (seconds) => advance(time + seconds * 1000),
  };
}
