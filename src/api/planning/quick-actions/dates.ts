import { addDays, MONTHS, toCalendarDate } from '#runtime/clock.ts';

// Parses English dates: `tomorrow`, `next friday`, `in 2 weeks`, `feb 3 2026`.

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Length of each unit in days. */
const UNITS = { day: 1, week: 7, fortnight: 14 } as const;

/** Maximum length of a date, in characters. */
const MAX_LENGTH = 60;

/** Maximum number of words in a date. */
const MAX_WORDS = 5;

/** Returns the day as `YYYY-MM-DD`, or null if the text is not a date. */
export function parseDate(text: string, today: string): string | null {
  const dateText = text.trim().toLowerCase();
  if (dateText.length > MAX_LENGTH) return null;
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(dateText);
  if (iso) return toValidDate(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const words = dateText.split(/[\s,]+/).filter((word) => word !== '' && word !== 'the' && word !== 'of');
  if (words.length === 0 || words.length > MAX_WORDS) return null;
  return (
    parseRelativeDay(words, today) ??
    parseWeekday(words, today) ??
    parseRelativeDate(words, today) ??
    parseMonthAndDay(words, today)
  );
}

function parseRelativeDay(words: readonly string[], today: string): string | null {
  const offset = { today: 0, now: 0, tomorrow: 1, yesterday: -1 }[words.join(' ')];
  return offset === undefined ? null : addDays(today, offset);
}

/** Returns the first such weekday after today. */
function parseWeekday(words: readonly string[], today: string): string | null {
  const [firstWord, secondWord] = words;
  const hasPrefix = words.length === 2 && (firstWord === 'next' || firstWord === 'this');
  const name = words.length === 1 ? firstWord : hasPrefix ? secondWord : undefined;
  if (name === undefined) return null;
  const day = WEEKDAYS.findIndex((dayName) => dayName === name || dayName.slice(0, 3) === name);
  if (day < 0) return null;
  const todayIndex = new Date(`${today}T00:00:00Z`).getUTCDay();
  return addDays(today, ((day - todayIndex + 6) % 7) + 1);
}

/** Parses `next week`, `in 2 weeks` and `2 weeks from now`. */
function parseRelativeDate(words: readonly string[], today: string): string | null {
  const [firstWord, secondWord, thirdWord] = words;
  if (firstWord === 'next' && words.length === 2) return addUnits(today, 1, secondWord);
  if (firstWord === 'in' && words.length === 3) return addUnits(today, parseNumber(secondWord), thirdWord);
  if (words.length === 4 && thirdWord === 'from' && words[3] === 'now')
    return addUnits(today, parseNumber(firstWord), secondWord);
  return null;
}

/** Returns the number, or 0 if the word is none. */
const parseNumber = (word = ''): number =>
  word === 'a' || word === 'an' || word === 'one' ? 1 : /^\d{1,4}$/.test(word) ? Number(word) : 0;

function addUnits(today: string, count: number, unit = ''): string | null {
  if (count === 0) return null;
  const singularUnit = unit.replace(/s$/, '');
  if (singularUnit === 'month') return addMonths(today, count);
  if (singularUnit === 'year') return addMonths(today, count * 12);
  const days = UNITS[singularUnit as keyof typeof UNITS];
  return days === undefined ? null : addDays(today, count * days);
}

/** Returns the same day of a later month, or its last day if that month is shorter. */
function addMonths(today: string, months: number): string | null {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  const monthCount = year * 12 + month - 1 + months;
  const daysInMonth = new Date(Date.UTC(Math.floor(monthCount / 12), (monthCount % 12) + 1, 0)).getUTCDate();
  return toValidDate(Math.floor(monthCount / 12), (monthCount % 12) + 1, Math.min(day, daysInMonth));
}

/** Returns the index of the month from 0, or -1. */
function findMonth(word: string): number {
  return MONTHS.map((name) => name.toLowerCase()).findIndex((name) => name === word || name.slice(0, 3) === word);
}

/** Parses `feb 3`, `3rd february 2026`. Without a year it returns the next such day. */
function parseMonthAndDay(words: readonly string[], today: string): string | null {
  if (words.length < 2 || words.length > 3) return null;
  const [firstWord, secondWord] = [words[0]!, words[1]!];
  const monthIndexes = [firstWord, secondWord].map(findMonth);
  const monthPosition = monthIndexes.findIndex((monthIndex) => monthIndex >= 0);
  if (monthPosition < 0) return null;
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(monthPosition === 0 ? secondWord : firstWord)?.[1] ?? 0);
  const year = words[2];
  if (year !== undefined && !/^\d{4}$/.test(year)) return null;
  const thisYear = Number(today.slice(0, 4));
  const date = toValidDate(year === undefined ? thisYear : Number(year), monthIndexes[monthPosition]! + 1, day);
  if (year !== undefined || date === null || date >= today) return date;
  return toValidDate(thisYear + 1, monthIndexes[monthPosition]! + 1, day);
}

/** Returns the date as `YYYY-MM-DD`, or null if there is no such day. */
const toValidDate = (year: number, month: number, day: number): string | null =>
  year < 1 || year > 9999 ? null : toCalendarDate(year, month, day);
