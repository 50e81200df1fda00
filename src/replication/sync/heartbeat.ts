import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

interface HeartbeatOptions {
  readonly clock: Clock;
  readonly poll: () => Promise<unknown>;
  readonly report: () => Promise<unknown>;
  /** Starts work whose time has come. */
  readonly startDue: () => void;
  readonly pollSeconds: number;
  readonly reportSeconds: number;
  readonly log: Log;
}

/** Interval of the timer, in milliseconds. */
const TICK_MS = 1_000;

/** Polls and reports periodically. A slow run delays the next one instead of overlapping it. */
export function createHeartbeat({ clock, poll, report, startDue, pollSeconds, reportSeconds, log }: HeartbeatOptions) {
  const createPeriodicWork = (seconds: number, work: () => Promise<unknown>) => {
    let nextRunMs = 0;
    let currentRun: Promise<unknown> | null = null;
    return {
      tick() {
        const now = clock.now().getTime();
        if (currentRun !== null || now < nextRunMs) return;
        nextRunMs = now + seconds * 1000;
        currentRun = work()
          .catch((err) => log.error({ err }, 'Periodic work of the secondary failed'))
          .finally(() => {
            currentRun = null;
          });
      },
      currentRun: () => currentRun,
    };
  };
  const polls = createPeriodicWork(pollSeconds, poll);
  const reports = createPeriodicWork(reportSeconds, report);
  let timer: NodeJS.Timeout | undefined;
  const tick = () => {
    polls.tick();
    reports.tick();
    startDue();
  };
  return {
    start() {
      timer = setInterval(tick, TICK_MS);
      tick();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all([polls.currentRun(), reports.currentRun()]);
    },
  };
}
