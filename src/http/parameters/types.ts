import { type TSchema, Type } from 'typebox';
import { toCalendarDate } from '#runtime/clock.ts';
import { isParameterObject } from './brackets.ts';
import { findFirstText, type ParameterType, type Problems } from './parameter-type.ts';
import { limitedText, readText } from './texts.ts';

/** Parameter types other than texts (contract/conventions.md §3 "Coercion"). */

/** The maximum length of a number, date or boolean as text; longer ones are invalid. */
const MAX_SCALAR_LENGTH = 255;
const isTooLong = (raw: unknown): boolean => typeof raw === 'string' && raw.length > MAX_SCALAR_LENGTH;

/** Returns the type with empty text counting as absent, also for rules. */
export function absentIfBlank<T>(type: ParameterType<T>): ParameterType<T> {
  return { ...type, absentIfBlank: true };
}

/** Returns the type of a scalar. An empty text counts as absent; `parse` returns null for an invalid value. */
function scalar<T>(schema: TSchema, parse: (raw: unknown) => T | null): ParameterType<T> {
  return {
    schema,
    read(raw, name, problems) {
      if (raw === null || raw === '') return null;
      return (isTooLong(raw) ? null : parse(raw)) ?? problems.addInvalid(name);
    },
  };
}

export const integer: ParameterType<number> = scalar(Type.Integer(), (raw) => {
  // `-0` is 0.
  const value = typeof raw === 'string' && /^[+-]?\d+$/.test(raw.trim()) ? Number(raw) + 0 : raw;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
});

/** A decimal number. */
export const number: ParameterType<number> = scalar(Type.Number(), (raw) => {
  const value = typeof raw === 'string' && /^[+-]?\d+(\.\d+)?$/.test(raw.trim()) ? Number(raw) : raw;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
});

const TRUE_VALUES = new Set<unknown>([true, 1, ...'1 t T true TRUE True y Y yes YES Yes on ON On'.split(' ')]);
const FALSE_VALUES = new Set<unknown>([false, 0, ...'0 f F false FALSE False n N no NO No off OFF Off'.split(' ')]);

export const boolean: ParameterType<boolean> = scalar(Type.Boolean(), (raw) =>
  TRUE_VALUES.has(raw) ? true : FALSE_VALUES.has(raw) ? false : null,
);

const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/;

/** `YYYY-MM-DD`; a time part is allowed and dropped. */
export const date: ParameterType<string> = scalar(
  Type.String({ format: 'date', maxLength: MAX_SCALAR_LENGTH }),
  (raw) => {
    const match = typeof raw === 'string' ? DATE.exec(raw.trim()) : null;
    return match && toCalendarDate(Number(match[1]), Number(match[2]), Number(match[3]));
  },
);

const DATE_TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?)?\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** An ISO 8601 date or date-time, converted to a UTC timestamp as text. Without a zone it is UTC; without a time, 00:00:00. */
export const dateTime: ParameterType<string> = scalar(
  Type.String({ format: 'date-time', maxLength: MAX_SCALAR_LENGTH }),
  (raw) => (typeof raw === 'string' ? parseDateTime(raw.trim()) : null),
);

/** Returns an ISO 8601 date-time as `YYYY-MM-DDTHH:MM:SS.mmmZ`, or null if it is invalid. */
export function parseDateTime(value: string): string | null {
  const match = DATE_TIME.exec(value);
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] = match;
  if (toCalendarDate(Number(year), Number(month), Number(day)) === null) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const localMs = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    milliseconds,
  );
  const offsetMs = getZoneOffsetMs(zone);
  const timestamp = offsetMs === null ? '' : new Date(localMs - offsetMs).toISOString();
  // Years beyond 9999 have another format, which the API does not support.
  return timestamp.length === 24 ? timestamp : null;
}

/** Returns the offset in milliseconds east of UTC, or null if it is invalid. */
function getZoneOffsetMs(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  return hours > 23 || minutes > 59 ? null : sign * (hours * 60 + minutes) * 60_000;
}

/** Returns a type that accepts only these texts. */
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

/** Returns a type that accepts only these integers, or the integers from `min` to `max`. */
export function integerIn(allowed: readonly number[] | { min: number; max: number }): ParameterType<number> {
  const isAllowed = (value: number) =>
    'min' in allowed ? value >= allowed.min && value <= allowed.max : allowed.includes(value);
  return {
    schema:
      'min' in allowed
        ? Type.Integer({ minimum: allowed.min, maximum: allowed.max })
        : (Type.Enum(allowed as number[]) as TSchema),
    limitsValues: true,
    read(raw, name, problems) {
      const value = integer.read(raw, name, problems);
      return value === null || isAllowed(value) ? value : problems.add(`${name} does not have a valid value`);
    },
  };
}

/** Returns the type that also rejects `""` and white space with `name is empty`. */
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

/**
 * Returns the type of an array, or of an object with only whole numbers as keys. Null is the empty array; scalars are
 * invalid.
 */
export function arrayOf<T>(element: ParameterType<T>, maxLength = MAX_ARRAY_LENGTH): ParameterType<T[]> {
  return {
    schema: Type.Array(element.schema, { maxItems: maxLength }),
    valueForNull: [],
    getLengthError(raw, name) {
      const items = toElements(raw, element, maxLength) ?? [];
      if (items.length > maxLength) return `${name} ${formatTooManyElements(maxLength)}`;
      return findFirstText(items, (item, index) => element.getLengthError?.(item, `${name}[${index}]`) ?? null);
    },
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = toElements(raw, element, maxLength);
      if (items === null) return problems.addInvalid(name);
      return items.length > maxLength
        ? addTooManyElements(name, maxLength, problems)
        : readElements(items, element, name, problems);
    },
  };
}

/** The type of an array that is sent as one string. */
const arrayText = limitedText(1024 * 1024);

/** Returns the type of an array that may also be sent as one string, `a,b , c`; its elements may contain commas too. */
export function commaSeparated<T>(element: ParameterType<T>, maxLength = MAX_ARRAY_LENGTH): ParameterType<T[]> {
  return {
    schema: Type.Union([Type.Array(element.schema, { maxItems: maxLength }), arrayText.schema]),
    valueForNull: [],
    read(raw, name, problems) {
      if (raw === null) return [];
      const items = typeof raw === 'string' || typeof raw === 'number' ? [raw] : toElements(raw, element, maxLength);
      if (items === null) return problems.addInvalid(name);
      const elements = items.length > maxLength ? null : splitItems(items, { element, maxLength, name, problems });
      return elements === null
        ? addTooManyElements(name, maxLength, problems)
        : readElements(elements, element, name, problems);
    },
  };
}

interface CommaSeparatedItems {
  readonly element: ParameterType<unknown>;
  /** The limit of the number of elements. */
  readonly maxLength: number;
  readonly name: string;
  readonly problems: Problems;
}

/**
 * Splits items at commas, trims them and drops blank ones. Returns null if there are more than `maxLength`, blank ones
 * included. Elements that exceed their length limit are not trimmed, so that they are rejected later.
 */
function splitItems(
  items: readonly unknown[],
  { element, maxLength, name, problems }: CommaSeparatedItems,
): unknown[] | null {
  const isTooLongItem = (item: string) =>
    element.getLengthError ? element.getLengthError(item, '') !== null : isTooLong(item);
  const elements: unknown[] = [];
  for (const item of items) {
    const text = typeof item === 'string' ? arrayText.read(item, name, problems) : item;
    if (typeof text === 'string') {
      elements.push(...text.split(',', maxLength + 1).map((part) => (isTooLongItem(part) ? part : part.trim())));
    } else elements.push(text);
    if (elements.length > maxLength) return null;
  }
  return elements.filter((item) => item !== '');
}

/** Reports that a list has too many elements. */
export function addTooManyElements(name: string, maxLength: number, problems: Problems): null {
  return problems.add(`${name} ${formatTooManyElements(maxLength)}`);
}

const formatTooManyElements = (maxLength: number) => `is too long (maximum is ${maxLength} elements)`;

/**
 * Returns the elements before validation; null if the value is not an array. If there are too many, only their number is
 * correct.
 */
function toElements(raw: unknown, element: ParameterType<unknown>, maxLength: number): unknown[] | null {
  if (Array.isArray(raw)) return raw;
  if (!isParameterObject(raw)) return null;
  const keys = Object.keys(raw);
  if (keys.length > 0 && keys.every((key) => /^\d+$/.test(key))) {
    if (keys.length > maxLength) return keys;
    return keys.sort((a, b) => Number(a) - Number(b)).map((key) => raw[key]);
  }
  return element.isObject ? [raw] : null;
}

function readElements<T>(items: unknown[], element: ParameterType<T>, name: string, problems: Problems): T[] {
  const isObject = element.isObject === true;
  const values = items.map((item, index) => {
    if (isObject && !isParameterObject(item)) return problems.addInvalid(name);
    return element.read(item, isObject ? `${name}[${index}]` : name, problems);
  });
  // Null and blank elements are dropped: forms send the empty array as `ids[]=`.
  return values.filter((value) => value !== null);
}

/** Any value, passed on as received. */
export const anyValue: ParameterType<unknown> = { schema: Type.Unknown(), unvalidated: true, read: (raw) => raw };

/** A picture. Pictures are not supported: only an empty value, which removes the picture, is accepted. */
export const unsupportedPicture: ParameterType<never> = {
  schema: Type.Null(),
  unvalidated: true,
  read(raw, name, problems) {
    return raw === null || raw === '' ? null : problems.add(`${name} is not supported`);
  },
};
