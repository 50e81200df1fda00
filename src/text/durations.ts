/** The lengths of a day and a month in a calendar; a week is a quarter of a month, in whole days. */
interface DurationCalendar {
  readonly hoursPerDay: number;
  readonly daysPerMonth: number;
}

/** Days and months of the clock: a week has seven days. */
const CLOCK_CALENDAR: DurationCalendar = { hoursPerDay: 24, daysPerMonth: 30 };

/** Working days and months: a week has five days. */
export const WORK_CALENDAR: DurationCalendar = { hoursPerDay: 8, daysPerMonth: 20 };

export type DurationUnit = 'seconds' | 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years';

const NAMES_BY_UNIT: Readonly<Record<DurationUnit, string>> = {
  seconds: 's sec secs second seconds',
  minutes: 'm min mins minute minutes',
  hours: 'h hr hrs hour hours',
  days: 'd dy day days',
  weeks: 'w wk wks week weeks',
  months: 'mo mos month months',
  years: 'y yr yrs year years',
};

const UNITS_BY_NAME: ReadonlyMap<string, DurationUnit> = new Map(
  Object.entries(NAMES_BY_UNIT).flatMap(([unit, names]) =>
    names.split(' ').map((name): [string, DurationUnit] => [name, unit as DurationUnit]),
  ),
);

const SMALL_NUMBERS = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...SMALL_NUMBERS.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
]);
const MULTIPLIER_WORDS: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1000],
]);

const JOIN_WORDS = new Set(['and', 'with', 'plus']);

/** The units of `1:30:00`, from the last part. */
const CLOCK_UNITS: readonly DurationUnit[] = ['seconds', 'minutes', 'hours', 'days', 'months', 'years'];

const MAX_LENGTH = 255;

/**
 * Parses a duration: `1h 30m`, `2 hours and 5 minutes`, `one week`, `1:30:00`, `day`, `90`, ignoring case. A last number
 * without a unit is in `defaultUnit`. Returns seconds, which may have a fraction, or null if the text is not a duration.
 */
export function parseDuration(
  text: string,
  calendar: DurationCalendar = CLOCK_CALENDAR,
  defaultUnit: DurationUnit = 'seconds',
): number | null {
  if (text.length > MAX_LENGTH) return null;
  const words = toWords(expandClock(replaceNumberWords(text.toLowerCase())));
  const parts = words === null ? null : toParts(words);
  if (parts === null || parts.length === 0) return null;
  // A unit without a number, such as `day`, counts once.
  if (typeof parts[0] === 'string') parts.unshift(1);
  let seconds = 0;
  for (const [index, part] of parts.entries()) {
    const unit = parts[index + 1] ?? defaultUnit;
    // A number before another number counts nothing.
    if (typeof part === 'number' && typeof unit === 'string') seconds += part * getSeconds(unit, calendar);
  }
  return seconds;
}

/** Like `parseDuration`, but returns whole seconds, at least one; null for zero too. */
export function parsePositiveSeconds(text: string): number | null {
  const seconds = parseDuration(text);
  return seconds === null || seconds === 0 ? null : Math.max(1, Math.round(seconds));
}

/** Returns the seconds of one unit. */
export function getSeconds(unit: DurationUnit, { hoursPerDay, daysPerMonth }: DurationCalendar): number {
  const day = hoursPerDay * 3600;
  switch (unit) {
    case 'seconds':
      return 1;
    case 'minutes':
      return 60;
    case 'hours':
      return 3600;
    case 'days':
      return day;
    case 'weeks':
      return Math.trunc(daysPerMonth / 4) * day;
    case 'months':
      return daysPerMonth * day;
    case 'years':
      // Years are the same in every calendar.
      return 365.25 * 86_400;
  }
}

/** Replaces `twenty-five` by `25`, `one hundred and five` by `105`. */
function replaceNumberWords(text: string): string {
  const result: string[] = [];
  let number: number | null = null;
  const endNumber = () => {
    if (number !== null) result.push(String(number));
    number = null;
  };
  const words = text.replaceAll(/(?<=[a-z])-(?=[a-z])/g, ' ').split(/\s+/);
  for (const [index, word] of words.entries()) {
    const value = NUMBER_WORDS.get(word);
    const multiplier = MULTIPLIER_WORDS.get(word);
    if (value !== undefined) number = (number ?? 0) + value;
    else if (multiplier !== undefined) number = (number ?? 1) * multiplier;
    else if (word !== 'and' || number === null || !NUMBER_WORDS.has(words[index + 1] ?? '')) {
      endNumber();
      result.push(word);
    }
  }
  endNumber();
  return result.join(' ');
}

/** Replaces `1:30:00` by `1 hours 30 minutes 00 seconds`. */
function expandClock(text: string): string {
  const compactText = text.replaceAll(' ', '');
  if (!/\d:\.?\d/.test(compactText)) return text;
  const parts = compactText.split(':').reverse();
  return parts
    .map((part, index) => `${part} ${CLOCK_UNITS[index] ?? ':'}`)
    .reverse()
    .join(' ');
}

/** Splits a text into numbers and other words; returns null if it contains none. */
function toWords(text: string): string[] | null {
  return text.replaceAll(/\d+(?:\.\d+)?|\.\d+/g, (number) => ` ${number} `).match(/\S+/g);
}

/** Converts words to numbers and units without join words; returns null for an unknown word. */
function toParts(words: readonly string[]): (number | DurationUnit)[] | null {
  const parts: (number | DurationUnit)[] = [];
  for (const word of words) {
    const name = word.replace(/^,/, '').replace(/,$/, '');
    const part = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(word) ? Number(word) : UNITS_BY_NAME.get(name);
    if (part !== undefined) parts.push(part);
    else if (!JOIN_WORDS.has(name)) return null;
  }
  return parts;
}
