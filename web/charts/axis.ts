/** Time axes of charts: where the marks are, and how they are called. */

interface Tick {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly label: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((count) => count * DAY),
];

const timeFormat = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayFormat = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** Returns at most about `maxCount` ticks at round local times between two times. A tick at midnight has the day. */
export function listTimeTicks(from: number, to: number, maxCount: number): Tick[] {
  const step = STEPS.find((candidate) => (to - from) / candidate <= maxCount) ?? STEPS.at(-1)!;
  const ticks: Tick[] = [];
  for (let time = roundUp(from, step); time <= to; time = roundUp(time + 1, step))
    ticks.push({ time, label: formatTick(time, step) });
  return ticks;
}

/** Returns the first local time from this one on that is a multiple of the step. */
function roundUp(time: number, step: number): number {
  const midnight = new Date(time).setHours(0, 0, 0, 0);
  if (step < DAY) return midnight + Math.ceil((time - midnight) / step) * step;
  // Days have 23 to 25 hours where clocks change, so they are counted by the calendar.
  const days = Math.round(step / DAY);
  const day = new Date(midnight < time ? midnight + DAY + 2 * HOUR : midnight);
  const number = Math.round(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / DAY);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() + Math.ceil(number / days) * days - number);
  return day.getTime();
}

function formatTick(time: number, step: number): string {
  const date = new Date(time);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return (step >= DAY || isMidnight ? dayFormat : timeFormat).format(date);
}

/** Returns the position in pixels of a value in a range that is `width` wide. */
export function scale(value: number, from: number, to: number, width: number): number {
  return to === from ? 0 : ((value - from) / (to - from)) * width;
}
