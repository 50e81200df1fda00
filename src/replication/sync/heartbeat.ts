import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

interface Beating {
  readonly clock: Clock;
  readonly poll: () => Promise<unknown>;
  readonly report: () => Promise<unknown>;
  readonly look: () => void;
  readonly pollSeconds: number;
  readonly reportSeconds: number;
  readonly log: Log;
}

/** How often it is asked what has fallen due, in milliseconds. */
const TICK = 1_000;

/** Does what is to be done every so many seconds, each when it was done before: slow ones are not overtaken. */
export function beat({ clock, poll, report, look, pollSeconds, reportSeconds, log }: Beating) {
  const everySeconds = (seconds: number, work: () => Promise<unknown>) => {
    let next = 0;
    let under: Promise<unknown> | null = null;
    return {
      tick() {
        const now = clock.now().getTime();
        if (under !== null || now < next) return;
        next = now + seconds * 1000;
        under = work()
          .catch((err) => log.error({ err }, 'A secondary could not do what it does'))
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
    look();
  };
  return {
    start() {
      timer = setInterval(tick, TICK);
      tick();
    },
    async stop() {
      clearInterval(timer);
      await Promise.all([polls.ended(), reports.ended()]);
    },
  };
}
