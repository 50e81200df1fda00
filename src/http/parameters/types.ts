import { type TSchema, Type } from 'typebox';
import { calendarDate } from '#runtime/clock.ts';
import { isParameterObject } from './brackets.ts';
import { firstText } from './first-text.ts';
import type { ParameterType, Problems } from './parameter-type.ts';
import { limitedText, readText } from './texts.ts';

/** Parameter types other than texts (contract/conventions.md §3 "Coercion"). */

/** The maximum length of a number, date or boolean as text; longer ones are invalid. */
const MAX_LENGTH = 255;
const isTooLong = (raw: unknown): boolean => typeof raw === 'string' && raw.length > MAX_LENGTH;

/** The same type, for which an empty text counts as absent, also for rules. */
export function absentIfBlank<T>(type: ParameterType<T>): ParameterType<T> {
  return { ...type, absentIfBlank: true };
}

export const integer: ParameterType<number> = {
  schema: Type.Integer(),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isTooLong(raw)) return problems.addInvalid(name);
    if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : problems.addInvalid(name);
    if (typeof raw === 'string' && /^[+-]?\d+$/.test(raw.trim())) {
      const value = Number(raw);
      // `-0` is 0.
      return Number.isSafeInteger(value) ? value + 0 : problems.addInvalid(name);
    }
    return problems.addInvalid(name);
  },
};

/** A decimal number. */
export const number: ParameterType<number> = {
  schema: Type.Number(),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isTooLong(raw)) return problems.addInvalid(name);
    const value = typeof raw === 'string' && /^[+-]?\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : raw;
    return typeof value === 'number' && Number.isFinite(value) ? value : problems.addInvalid(name);
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
    if (isTooLong(raw)) return problems.addInvalid(name);
    if (TRUE.has(raw)) return true;
    return FALSE.has(raw) ? false : problems.addInvalid(name);
  },
};

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/;

/** `YYYY-MM-DD`; a time part is allowed and dropped. */
export const date: ParameterType<string> = {
  schema: Type.String({ format: 'date', maxLength: MAX_LENGTH }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isTooLong(raw)) return problems.addInvalid(name);
    const parts = typeof raw === 'string' ? DATE.exec(raw.trim()) : null;
    return (parts && calendarDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))) ?? problems.addInvalid(name);
  },
};

const DATE_TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date or date-time, converted to a UTC timestamp as text. Without a zone it is UTC; without a time, 00:00:00. */
export const dateTime: ParameterType<string> = {
  schema: Type.String({ format: 'date-time', maxLength: MAX_LENGTH }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (isTooLong(raw)) return problems.addInvalid(name);
    return (typeof raw === 'string' && parseDateTime(raw.trim())) || problems.addInvalid(name);
  },
};

/** Returns an ISO 8601 date-time as `YYYY-MM-DDTHH:MM:SS.mmmZ`, or null if it is invalid. */
export function parseDateTime(value: string): string | null {
  const parts = DATE_TIME.exec(value);
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
  const timestamp = offset === null ? '' : new Date(local - offset).toISOString();
  // Years beyond 9999 have another format, which the API does not support.
  return timestamp.length === 24 ? timestamp : null;
}

/** Returns the offset in milliseconds east of UTC, or null if it is invalid. */
function zoneOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  return hours > 23 || minutes > 59 ? null : sign * (hours * 60 + minutes) * 60_000;
}

/** One of these texts. */
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

/** One of these whole numbers, or of the whole numbers from `min` to `max`. */
export function integerIn(allowed: readonly number[] | { min: number; max: number }): ParameterType<number> {
  const fits = (value: number) =>
    'min' in allowed ? value >= allowed.min && value <= allowed.max : allowed.includes(value);
  return {
    schema:
      'min' in allowed
        ? Type.Integer({ minimum: allowed.min, maximum: allowed.max })
        : (Type.Enum(allowed as number[]) as TSchema),
    limitsValues: true,
    read(raw, name, problems) {
      const value = integer.read(raw, name, problems);
      return value === null || fits(value) ? value : problems.add(`${name} does not have a valid value`);
    },
  };
}

/** The same type, which rejects `""` and white space with `name is empty`. */
export function notBlank<T>(type: ParameterType<T>): ParameterType<T> {
  return {
    ...type,
    rejectsBlank: true,
    read(raw, name, problems) {
      if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return problems.add(`${name} is empty`);
      return type.read(raw, name, problems);
    },
  };
}

/** The default limit of the number of elements of a list. */
export const MAX_ARRAY_LENGTH = 1000;

/** An array, or an object whose keys are all whole numbers. Null is the empty array; a scalar is invalid. */
export function arrayOf<T>(element: ParameterType<T>, most = MAX_ARRAY_LENGTH): ParameterType<T[]> {
  return {
    schema: Type.Array(element.schema, { maxItems: most }),
    blank: [],
    tooLong(raw, name) {
      const items = toElements(raw, element, most) ?? [];
      if (items.length > most) return `${name} ${tooManyText(most)}`;
      return firstText(items, (item, index) => element.tooLong?.(item, `${name}[${index}]`) ?? null);
    },
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = toElements(raw, element, most);
      if (items === null) return problems.addInvalid(name);
      return items.length > most
        ? addTooManyElements(name, most, problems)
        : readElements(items, element, name, problems);
    },
  };
}

/** The type of an array that is sent as one string. */
const arrayText = limitedText(1024 * 1024);

/** An array, which may also be sent as one string, `a,b , c`; so may its elements. */
export function commaSeparated<T>(element: ParameterType<T>, most = MAX_ARRAY_LENGTH): ParameterType<T[]> {
  return {
    schema: Type.Union([Type.Array(element.schema, { maxItems: most }), arrayText.schema]),
    blank: [],
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = typeof raw === 'string' || typeof raw === 'number' ? [raw] : toElements(raw, element, most);
      if (items === null) return problems.addInvalid(name);
      const all = items.length > most ? null : splitItems(items, { element, most, name, problems });
      return all === null ? addTooManyElements(name, most, problems) : readElements(all, element, name, problems);
    },
  };
}

interface CommaSeparatedItems {
  readonly element: ParameterType<unknown>;
  /** The limit of the number of elements. */
  readonly most: number;
  readonly name: string;
  readonly problems: Problems;
}

/**
 * Splits items at commas, trims them and drops blank ones. Returns null if there are more than `most`, blank ones included.
 * The limit of an element counts before it is trimmed, so longer ones stay as they are.
 */
function splitItems(
  items: readonly unknown[],
  { element, most, name, problems }: CommaSeparatedItems,
): unknown[] | null {
  const isLong = (item: string) => (element.tooLong ? element.tooLong(item, '') !== null : isTooLong(item));
  const all: unknown[] = [];
  for (const item of items) {
    const whole = typeof item === 'string' ? arrayText.read(item, name, problems) : item;
    if (typeof whole === 'string') {
      all.push(...whole.split(',', most + 1).map((part) => (isLong(part) ? part : part.trim())));
    } else all.push(whole);
    if (all.length > most) return null;
  }
  return all.filter((item) => item !== '');
}

/** Reports that a list has too many elements. */
export function addTooManyElements(name: string, most: number, problems: Problems): null {
  return problems.add(`${name} ${tooManyText(most)}`);
}

const tooManyText = (most: number) => `is too long (maximum is ${most} elements)`;

/** Returns the elements before validation; if there are too many, only their number is right. */
function toElements(raw: unknown, element: ParameterType<unknown>, most: number): unknown[] | null {
  if (Array.isArray(raw)) return raw;
  if (!isParameterObject(raw)) return null;
  const keys = Object.keys(raw);
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) {
    if (keys.length > most) return keys;
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => raw[key]);
  }
  return element.isObject ? [raw] : null;
}

function readElements<T>(items: unknown[], element: ParameterType<T>, name: string, problems: Problems): T[] {
  const nested = element.isObject === true;
  const values = items.map((item, index) => {
    if (nested && !isParameterObject(item)) return problems.addInvalid(name);
    return element.read(item, nested ? `${name}[${index}]` : name, problems);
  });
  // Null and blank elements are dropped: forms send the empty array as `ids[]=`.
  return values.filter((value) => value !== null);
}

/** Any value, not validated. */
export const anyValue: ParameterType<unknown> = { schema: Type.Unknown(), unread: true, read: (raw) => raw };

/** A picture: there are none yet, so that only an empty value, which removes it, is accepted. */
export const noPicture: ParameterType<never> = {
  schema: Type.Null(),
  unread: true,
  read(raw, name, problems) {
    return raw === null || raw === '' ? null : problems.add(`${name} is not supported`);
  },
};
