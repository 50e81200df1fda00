import { type TSchema, Type } from 'typebox';
import { calendarDate } from '#runtime/clock.ts';
import { isRaw } from './brackets.ts';
import { firstText } from './first-text.ts';
import type { ParameterType, Problems } from './parameter-type.ts';
import { readText, textOf } from './texts.ts';

/** The types that parameters are declared with, texts apart (contract/conventions.md §3 "Coercion"). */

/** No number, date or word of a list is written with more: what is longer is not looked at. */
const LONGEST = 255;
const isLong = (raw: unknown): boolean => typeof raw === 'string' && raw.length > LONGEST;

/** The same type, of which an empty text counts as if the parameter had not been sent, to the rules of the endpoint too. */
export function absentIfBlank<T>(type: ParameterType<T>): ParameterType<T> {
  return { ...type, absentIfBlank: true };
}

export const integer: ParameterType<number> = {
  schema: Type.Integer(),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isLong(raw)) return problems.invalid(name);
    if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : problems.invalid(name);
    if (typeof raw === 'string' && /^[+-]?\d+$/.test(raw.trim())) {
      const value = Number(raw);
      // `-0` is 0.
      return Number.isSafeInteger(value) ? value + 0 : problems.invalid(name);
    }
    return problems.invalid(name);
  },
};

/** A decimal number; the contract's integers are `integer`. */
export const number: ParameterType<number> = {
  schema: Type.Number(),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isLong(raw)) return problems.invalid(name);
    const value = typeof raw === 'string' && /^[+-]?\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isFinite(value) ? value : problems.invalid(name);
  },
};

const TRUE = new Set<unknown>([
  true,
  1,
  '1',
  't',
  'T',
  'true',
  'TRUE',
  'True',
  'y',
  'Y',
  'yes',
  'YES',
  'Yes',
  'on',
  'ON',
  'On',
]);
const FALSE = new Set<unknown>([
  false,
  0,
  '0',
  'f',
  'F',
  'false',
  'FALSE',
  'False',
  'n',
  'N',
  'no',
  'NO',
  'No',
  'off',
  'OFF',
  'Off',
]);

export const boolean: ParameterType<boolean> = {
  schema: Type.Boolean(),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isLong(raw)) return problems.invalid(name);
    if (TRUE.has(raw)) return true;
    return FALSE.has(raw) ? false : problems.invalid(name);
  },
};

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/;

/** `YYYY-MM-DD`; a time part is allowed and dropped. */
export const date: ParameterType<string> = {
  schema: Type.String({ format: 'date', maxLength: LONGEST }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isLong(raw)) return problems.invalid(name);
    const parts = typeof raw === 'string' ? DATE.exec(raw.trim()) : null;
    return (parts && calendarDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))) ?? problems.invalid(name);
  },
};

const MOMENT =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date or date-time as the UTC timestamp text of the wire; no zone means UTC, no time 00:00:00. */
export const dateTime: ParameterType<string> = {
  schema: Type.String({ format: 'date-time', maxLength: LONGEST }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isLong(raw)) return problems.invalid(name);
    return (typeof raw === 'string' && readMoment(raw.trim())) || problems.invalid(name);
  },
};

/** The moment that an ISO 8601 text names, as `YYYY-MM-DDTHH:MM:SS.mmmZ`; null when it names none. */
export function readMoment(value: string): string | null {
  const parts = MOMENT.exec(value);
  if (parts === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = parts;
  if (calendarDate(Number(year), Number(month), Number(day)) === null) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    milliseconds,
  );
  const offset = zoneOffset(zone);
  const moment = offset === null ? '' : new Date(local - offset).toISOString();
  // Years beyond 9999 have another form, and no place on the wire.
  return moment.length === 24 ? moment : null;
}

/** Milliseconds east of UTC; null for a zone that a clock can't show. */
function zoneOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  return hours > 23 || minutes > 59 ? null : sign * (hours * 60 + minutes) * 60_000;
}

/** Text from a fixed list. */
export function oneOf<const V extends string>(...values: readonly V[]): ParameterType<V> {
  return {
    schema: Type.Enum(values as unknown as string[]) as TSchema,
    limitsValues: true,
    read(raw, name, problems) {
      const value = readText(raw, name, problems);
      if (value === null || (values as readonly string[]).includes(value)) return value as V | null;
      return problems.add(`${name} does not have a valid value`);
    },
  };
}

/** One of these whole numbers, or of the whole numbers from `least` to `most`. */
export function integerIn(allowed: readonly number[] | { least: number; most: number }): ParameterType<number> {
  const fits = (value: number) =>
    'least' in allowed ? value >= allowed.least && value <= allowed.most : allowed.includes(value);
  return {
    schema:
      'least' in allowed
        ? Type.Integer({ minimum: allowed.least, maximum: allowed.most })
        : (Type.Enum(allowed as number[]) as TSchema),
    limitsValues: true,
    read(raw, name, problems) {
      const value = integer.read(raw, name, problems);
      return value === null || fits(value) ? value : problems.add(`${name} does not have a valid value`);
    },
  };
}

/** Refuses `""` and white space with `name is empty`. */
export function notBlank<T>(type: ParameterType<T>): ParameterType<T> {
  return {
    ...type,
    refusesBlank: true,
    read(raw, name, problems) {
      if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return problems.add(`${name} is empty`);
      return type.read(raw, name, problems);
    },
  };
}

/** How many elements a list may have unless it is said otherwise. */
export const MOST_ELEMENTS = 1000;

/** An array; also the form whose keys are all whole numbers. `null` is the empty array, a scalar is invalid. */
export function arrayOf<T>(element: ParameterType<T>, most = MOST_ELEMENTS): ParameterType<T[]> {
  return {
    schema: Type.Array(element.schema, { maxItems: most }),
    blank: [],
    tooLong(raw, name) {
      const items = elements(raw, element, most) ?? [];
      if (items.length > most) return `${name} ${tooManyText(most)}`;
      return firstText(items, (item, index) => element.tooLong?.(item, `${name}[${index}]`) ?? null);
    },
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = elements(raw, element, most);
      if (items === null) return problems.invalid(name);
      return items.length > most ? tooMany(name, most, problems) : readElements(items, element, name, problems);
    },
  };
}

/** The most bytes of an array that comes as one string. */
const written = textOf(1024 * 1024);

/** An array that may also come as one string, `a,b , c`, as may its elements. */
export function commaArray<T>(element: ParameterType<T>, most = MOST_ELEMENTS): ParameterType<T[]> {
  return {
    schema: Type.Union([Type.Array(element.schema, { maxItems: most }), written.schema]),
    blank: [],
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = typeof raw === 'string' || typeof raw === 'number' ? [raw] : elements(raw, element, most);
      if (items === null) return problems.invalid(name);
      const all = items.length > most ? null : splitItems(items, most, name, problems);
      return all === null ? tooMany(name, most, problems) : readElements(all, element, name, problems);
    },
  };
}

/** What stands between the commas, blank ones left out; null when that is more than `most` (blank ones count). */
function splitItems(items: readonly unknown[], most: number, name: string, problems: Problems): unknown[] | null {
  const all: unknown[] = [];
  for (const item of items) {
    const whole = typeof item === 'string' ? written.read(item, name, problems) : item;
    if (typeof whole === 'string') all.push(...whole.split(',', most + 1).map((part) => part.trim()));
    else all.push(whole);
    if (all.length > most) return null;
  }
  return all.filter((item) => item !== '');
}

/** Says that a list has more elements than it may. */
export function tooMany(name: string, most: number, problems: Problems): null {
  return problems.add(`${name} ${tooManyText(most)}`);
}

const tooManyText = (most: number) => `is too long (maximum is ${most} elements)`;

/** The elements as they came; in place of too many any that are as many. */
function elements(raw: unknown, element: ParameterType<unknown>, most: number): unknown[] | null {
  if (Array.isArray(raw)) return raw;
  if (!isRaw(raw)) return null;
  const keys = Object.keys(raw);
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) {
    if (keys.length > most) return keys;
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => raw[key]);
  }
  return element.isHash ? [raw] : null;
}

function readElements<T>(items: unknown[], element: ParameterType<T>, name: string, problems: Problems): T[] {
  const nested = element.isHash === true;
  const values = items.map((item, index) => {
    if (nested && !isRaw(item)) return problems.invalid(name);
    return element.read(item, nested ? `${name}[${index}]` : name, problems);
  });
  // An element that is null or blank stands for no value: `ids[]=` is how forms say the empty array.
  return values.filter((value) => value !== null);
}

/** Whatever the client sent, unread. */
export const anything: ParameterType<unknown> = { schema: Type.Unknown(), unread: true, read: (raw) => raw };
