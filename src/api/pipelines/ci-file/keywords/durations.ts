const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;
const YEAR = 365.25 * DAY;

const UNITS: ReadonlyMap<string, number> = new Map([
  ...units(1, 's', 'sec', 'secs', 'second', 'seconds'),
  ...units(MINUTE, 'm', 'min', 'mins', 'minute', 'minutes'),
  ...units(HOUR, 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...units(DAY, 'd', 'day', 'days'),
  ...units(WEEK, 'w', 'wk', 'wks', 'week', 'weeks'),
  ...units(MONTH, 'mo', 'mos', 'month', 'months'),
  ...units(YEAR, 'y', 'yr', 'yrs', 'year', 'years'),
]);

function units(seconds: number, ...names: string[]): [string, number][] {
  return names.map((name) => [name, seconds]);
}

const MAX_LENGTH = 255;

/**
 * Parses a duration of a CI file and returns seconds: `1h 30m`, `30 minutes`, `3 days`, `2 hrs 5 min`, `1:30:00`, `90`
 * (seconds). A month has 30 days. Returns null for invalid durations and for less than a second. Callers handle `never`.
 */
export function parseCiDuration(text: string): number | null {
  if (text.length > MAX_LENGTH) return null;
  const words = text.toLowerCase().trim();
  const clock = /^(\d{1,6}):(\d\d)(?::(\d\d))?$/.exec(words);
  if (clock !== null) {
    const [, first, secondPart, third] = clock;
    const parts = [first, secondPart, third].filter((part) => part !== undefined).map(Number);
    return roundedOrNull(parts.reduce((sum, part) => sum * 60 + part, 0));
  }
  const bareNumber = /^\d{1,10}$/.exec(words);
  if (bareNumber !== null) return roundedOrNull(Number(words));
  return roundedOrNull(sumUnits(words));
}

/** Adds up alternating counts and units: `2 hrs 5 min`, `1h30m`; returns NaN for anything else. */
function sumUnits(words: string): number {
  const tokens = words.replaceAll(/\band\b|,/g, ' ').match(/\d+(?:\.\d+)?|[a-z]+|[^\s\da-z]/g) ?? [];
  let seconds = 0;
  for (let at = 0; at < tokens.length; at += 2) {
    seconds += Number(tokens[at]) * (UNITS.get(tokens[at + 1] ?? '') ?? Number.NaN);
  }
  return seconds;
}

function roundedOrNull(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds >= 1 ? Math.round(seconds) : null;
}
