import { MONTHS } from '#runtime/clock.ts';

// Parses the timestamps that monitoring tools write (contract/monitoring.md §2 "start_time", "end_time"). Pure.

/** RFC 3339 and looser variants of it; a zone may be an offset, a name, or both, as Go writes them: `+0000 UTC`. */
const ISO_FORMAT =
  /^(?<year>\d{4})[-/](?<month>\d\d?)[-/](?<day>\d\d?)(?:[Tt ](?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<offset>[+-]\d\d(?::?\d\d)?))?(?: ?(?<zone>[A-Za-z]{1,4}))?)?$/;
/** ISO 8601 without its dashes and colons. */
const BASIC_ISO_FORMAT =
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)T(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)(?:[.,](?<fraction>\d+))?(?<offset>[+-]\d\d(?::?\d\d)?)?(?<zone>[Zz])?$/;
/** RFC 2822, with and without the weekday. */
const MAIL_FORMAT =
  /^(?:[A-Za-z]{3,9},? )?(?<day>\d\d?)[ -](?<name>[A-Za-z]{3,9})[ -](?<year>\d{4}) (?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?<offset>[+-]\d\d(?::?\d\d)?))?(?: ?(?<zone>[A-Za-z]{1,4}))?$/;
/** The format of C's `asctime` and Unix `date`. */
const ASCTIME_FORMAT =
  /^(?:[A-Za-z]{3},? )?(?<name>[A-Za-z]{3}) (?<day>\d\d?) (?<hour>\d\d?):(?<minute>\d\d):(?<second>\d\d)(?: (?<zone>[A-Za-z]{1,4}))? (?<year>\d{4})$/;

const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3).toLowerCase());

/** Offsets of time zones by lower-case name, in hours east of UTC. */
const ZONE_OFFSETS_HOURS: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  ut: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
};

/** Maximum length of a timestamp, in characters. */
const MAX_TIMESTAMP_LENGTH = 64;

/** Parses a timestamp to ISO 8601 with milliseconds; the default zone is UTC. Returns null if it cannot be parsed. */
export function parseTimestamp(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (value.length > MAX_TIMESTAMP_LENGTH) return null;
  const text = value.trim().replace(/\s+/g, ' ');
  const parts = (
    ISO_FORMAT.exec(text) ??
    MAIL_FORMAT.exec(text) ??
    BASIC_ISO_FORMAT.exec(text) ??
    ASCTIME_FORMAT.exec(text)
  )?.groups;
  if (parts === undefined) return null;
  const { year, day, hour = '0', minute = '0', second = '0', fraction = '0' } = parts;
  const month =
    parts.month === undefined ? SHORT_MONTHS.indexOf(parts.name!.slice(0, 3).toLowerCase()) : Number(parts.month) - 1;
  const offsetMs = parseOffsetMs(parts.offset, parts.zone);
  if (offsetMs === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const date = new Date(0);
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(Number(year), month, Number(day));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(day)) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  return toIsoTimestamp(date.getTime() - offsetMs);
}

/** Unix milliseconds: thirteen digits, as a number or as text. */
const MILLISECONDS_FORMAT = /^\d{13}$/;

/** Parses a timestamp like `parseTimestamp`, or whole Unix milliseconds. */
export function parseTimestampOrMilliseconds(value: unknown): string | null {
  const digits = typeof value === 'number' ? String(value) : value;
  if (typeof digits === 'string' && MILLISECONDS_FORMAT.test(digits.trim())) return toIsoTimestamp(Number(digits));
  return parseTimestamp(value);
}

/** Returns the offset from UTC in milliseconds, or null for an unknown zone. An offset takes precedence over a zone name. */
function parseOffsetMs(offset: string | undefined, zone: string | undefined): number | null {
  const hours = zone === undefined ? 0 : ZONE_OFFSETS_HOURS[zone.toLowerCase()];
  if (offset === undefined) return hours === undefined ? null : hours * 3_600_000;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  if (Number(digits.slice(0, 2)) > 23 || Number(digits.slice(2)) > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

/** Returns the timestamp in ISO 8601, or null if its year does not have four digits. */
function toIsoTimestamp(milliseconds: number): string | null {
  const timestamp = new Date(milliseconds).toISOString();
  return timestamp.length === 24 ? timestamp : null;
}
