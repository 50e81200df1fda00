import { calendarDate, daysAfter, MONTHS } from '#runtime/clock.ts';

/** Dates as people write them in English: `tomorrow`, `next friday`, `in 2 weeks`, `feb 3 2026`. Pure. */

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const UNITS = { day: 1, week: 7, fortnight: 14 } as const;

/** A date has no more words than this. */
const MOST_WORDS = 5;

/** The day, `YYYY-MM-DD`; null when it is none. */
export function readDate(text: string, today: string): string | null {
  const written = text.trim().toLowerCase();
  if (written.length > 60) return null;
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(written);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const words = written.split(/[\s,]+/).filter((word) => word !== '' && word !== 'the' && word !== 'of');
  if (words.length === 0 || words.length > MOST_WORDS) return null;
  return named(words, today) ?? weekday(words, today) ?? distance(words, today) ?? monthAndDay(words, today);
}

function named(words: readonly string[], today: string): string | null {
  const offset = { today: 0, now: 0, tomorrow: 1, yesterday: -1 }[words.join(' ')];
  return offset === undefined ? null : daysAfter(today, offset);
}

/** The first one after today. */
function weekday(words: readonly string[], today: string): string | null {
  const [first, second] = words;
  const isLed = words.length === 2 && (first === 'next' || first === 'this');
  const name = words.length === 1 ? first : isLed ? second : undefined;
  if (name === undefined) return null;
  const day = DAYS.findIndex((one) => one === name || one.slice(0, 3) === name);
  if (day < 0) return null;
  const now = new Date(`${today}T00:00:00Z`).getUTCDay();
  return daysAfter(today, ((day - now + 6) % 7) + 1);
}

function distance(words: readonly string[], today: string): string | null {
  const [first, second, third] = words;
  if (first === 'next' && words.length === 2) return later(today, 1, second);
  if (first === 'in' && words.length === 3) return later(today, numberOf(second), third);
  if (words.length === 4 && third === 'from' && words[3] === 'now') return later(today, numberOf(first), second);
  return null;
}

const numberOf = (word = ''): number =>
  word === 'a' || word === 'an' || word === 'one' ? 1 : /^\d{1,4}$/.test(word) ? Number(word) : 0;

function later(today: string, many: number, unit = ''): string | null {
  if (many === 0) return null;
  const one = unit.replace(/s$/, '');
  if (one === 'month') return monthsAfter(today, many);
  if (one === 'year') return monthsAfter(today, many * 12);
  const days = UNITS[one as keyof typeof UNITS];
  return days === undefined ? null : daysAfter(today, many * days);
}

/** The same day of the month, or the last one where it is shorter. */
function monthsAfter(today: string, months: number): string | null {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  const at = year * 12 + month - 1 + months;
  const length = new Date(Date.UTC(Math.floor(at / 12), (at % 12) + 1, 0)).getUTCDate();
  return dayOf(Math.floor(at / 12), (at % 12) + 1, Math.min(day, length));
}

/** Its place in the year, from 0; below that none is called so. */
function monthNamed(word: string): number {
  return MONTHS.map((name) => name.toLowerCase()).findIndex((name) => name === word || name.slice(0, 3) === word);
}

/** `feb 3`, `3rd february 2026`; without a year the next one of that name. */
function monthAndDay(words: readonly string[], today: string): string | null {
  if (words.length < 2 || words.length > 3) return null;
  const [one, other] = [words[0]!, words[1]!];
  const month = [one, other].map(monthNamed);
  const at = month.findIndex((found) => found >= 0);
  if (at < 0) return null;
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(at === 0 ? other : one)?.[1] ?? 0);
  const year = words[2];
  if (year !== undefined && !/^\d{4}$/.test(year)) return null;
  const thisYear = Number(today.slice(0, 4));
  const found = dayOf(year === undefined ? thisYear : Number(year), month[at]! + 1, day);
  if (year !== undefined || found === null || found >= today) return found;
  return dayOf(thisYear + 1, month[at]! + 1, day);
}

const dayOf = (year: number, month: number, day: number): string | null =>
  year < 1 || year > 9999 ? null : calendarDate(year, month, day);
