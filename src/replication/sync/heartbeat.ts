import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

interface HeartbeatOptions {
  readonly clock: Clock;
  readonly poll: () => Promise<unknown>;
  readonly report: () => Promise<unknown>;
  readonly startDue: () => void;
  readonly pollSeconds: number;
  readonly reportSeconds: number;
  readonly log: Log;
}

/** Interval of the timer, in milliseconds. */
const TICK_MS = 1_000;

/** Runs periodic work; a slow run delays the next one instead of overlapping it. */
export function createHeartbeat({ clock, poll, report, startDue, pollSeconds, reportSeconds, log }: HeartbeatOptions) {
  const everySeconds = (seconds: number, work: () => Promise<unknown>) => {
    let next = 0;
    let under: Promise<unknown> | null = null;
    return {
      tick() {
        const now = clock.now().getTime();
        if (under !== null || now < next) return;
        next = now + seconds * 1000;
        under = work()
          .catch((err) => log.error({ err }, 'Periodic work of the secondary failed'))
          .finally(() => {
            under = null;
          });
      },
      ended: () => under,
    };
  };
  const polls = everySeconds(pollSeconds, poll);
  const reports = everySeconds(reportSeconds, report);
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
      await Promise.all([polls.ended(), reports.ended()]);
    },
  };
}
