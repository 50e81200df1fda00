import type { Clock } from '#runtime/clock.ts';

/** A clock that only the test advances. */
export interface TestClock extends Clock {
  /** Advances the clock by this many seconds. */
  advance(seconds: number): void;
}

export function testClock(start = '2026-01-02T03:04:05.000Z'): TestClock {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    advance(seconds) {
      now += seconds * 1000;
    },
  };
}
