import { Cron } from 'croner';

// Cron expressions (contract/runners.md §4.7): five fields (minutes, hours, days, months, days of the week), or
// shortcuts such as `@daily`. When clocks go forward, times in the skipped hour are due right after it. When clocks go
// back, repeating minutes run in both hours, and fixed times run in the first.

/**
 * Patterns of supported fields. They exclude syntax that croner interprets differently from other cron implementations:
 * the current time, the nearest weekday, and combined day rules.
 */
const FIELD_PATTERN = /^[\dA-Z*,/#-]+$/i;
const DAY_PATTERN = /^[\dL*,/-]+$/i;
/** A step needs a start value. */
const STEP_WITHOUT_START = /(?:^|,)\//;

/** `5/15` means every 15th value from 5 on, as in other cron implementations. */
const CRON_OPTIONS = { sloppyRanges: true } as const;

/**
 * Limit of the search for the next match, in years. Within this period every date falls on every day of the week. An
 * expression without a match in it never matches: 30 February, or a time that is always skipped.
 */
const MAX_YEARS_AHEAD = 41;

/** Returns whether the text is a valid expression; it may never match. */
export function isCron(text: string): boolean {
  const fields = splitFields(text);
  const [, , days = ''] = fields;
  const isSupported = text.trim().startsWith('@')
    ? fields.length === 1
    : fields.length === 5 &&
      fields.every((field) => FIELD_PATTERN.test(field) && !STEP_WITHOUT_START.test(field)) &&
      DAY_PATTERN.test(days);
  if (!isSupported) return false;
  try {
    new Cron(fields.join(' '), { ...CRON_OPTIONS, utcOffset: 0, mode: '5-part', paused: true });
    return true;
  } catch {
    return false;
  }
}

const splitFields = (text: string): string[] => text.trim().split(/\s+/);

/** Returns the first match after `after`; null: none, or unknown time zone. */
export function findNextRun(cron: string, zoneName: string, after: string): string | null {
  const zone = findTimeZone(zoneName);
  if (zone === null) return null;
  // UTC needs no time zone database, which the JavaScript engine loads for a named zone.
  const zoneOption = zone === 'Etc/UTC' ? { utcOffset: 0 } : { timezone: zone };
  const nextRun = new Cron(limitYears(cron, after), { ...CRON_OPTIONS, ...zoneOption, paused: true }).nextRun(
    new Date(after),
  );
  return nextRun?.toISOString() ?? null;
}

/** Adds a field for seconds and one for years. Shortcuts such as `@daily` always match and are not changed. */
function limitYears(cron: string, after: string): string {
  const fields = splitFields(cron);
  const year = Number(after.slice(0, 4));
  // Starts one year earlier, because the local year may differ from that of UTC.
  return fields.length === 1 ? fields.join('') : `0 ${fields.join(' ')} ${year - 1}-${year + MAX_YEARS_AHEAD}`;
}

// Time zone names: IANA names, and the aliases of Ruby on Rails, which API clients use.

/** Cities whose IANA name is the region and the city. */
const CITIES_BY_REGION: Readonly<Record<string, readonly string[]>> = {
  Africa: ['Cairo', 'Casablanca', 'Harare', 'Monrovia', 'Nairobi'],
  America: [
    ...['Bogota', 'Caracas', 'Chihuahua', 'La Paz', 'Lima', 'Mazatlan', 'Mexico City', 'Monterrey', 'Montevideo'],
    ...['Puerto Rico', 'Santiago', 'Tijuana'],
  ],
  Asia: [
    ...['Almaty', 'Baghdad', 'Baku', 'Bangkok', 'Chongqing', 'Dhaka', 'Hong Kong', 'Irkutsk', 'Jakarta', 'Jerusalem'],
    ...['Kabul', 'Kamchatka', 'Karachi', 'Kathmandu', 'Kolkata', 'Krasnoyarsk', 'Kuala Lumpur', 'Kuwait', 'Magadan'],
    ...['Muscat', 'Novosibirsk', 'Rangoon', 'Riyadh', 'Seoul', 'Singapore', 'Srednekolymsk', 'Taipei', 'Tashkent'],
    ...['Tbilisi', 'Tehran', 'Tokyo', 'Ulaanbaatar', 'Urumqi', 'Vladivostok', 'Yakutsk', 'Yerevan'],
  ],
  Atlantic: ['Azores'],
  Australia: ['Adelaide', 'Brisbane', 'Darwin', 'Hobart', 'Melbourne', 'Perth', 'Sydney'],
  Europe: [
    ...['Amsterdam', 'Athens', 'Belgrade', 'Berlin', 'Bratislava', 'Brussels', 'Bucharest', 'Budapest', 'Copenhagen'],
    ...['Dublin', 'Helsinki', 'Istanbul', 'Kaliningrad', 'Lisbon', 'Ljubljana', 'London', 'Madrid', 'Minsk', 'Moscow'],
    ...['Paris', 'Prague', 'Riga', 'Rome', 'Samara', 'Sarajevo', 'Skopje', 'Sofia', 'Stockholm', 'Tallinn', 'Vienna'],
    ...['Vilnius', 'Volgograd', 'Warsaw', 'Zagreb', 'Zurich'],
  ],
  Pacific: ['Auckland', 'Fiji', 'Guam', 'Port Moresby'],
};

/** Aliases that are not derived from a city. */
const OTHER_ALIASES: Readonly<Record<string, string>> = {
  UTC: 'Etc/UTC',
  'International Date Line West': 'Pacific/Midway',
  'Midway Island': 'Pacific/Midway',
  'American Samoa': 'Pacific/Pago_Pago',
  Hawaii: 'Pacific/Honolulu',
  Alaska: 'America/Juneau',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  'Mountain Time (US & Canada)': 'America/Denver',
  Arizona: 'America/Phoenix',
  'Central Time (US & Canada)': 'America/Chicago',
  Saskatchewan: 'America/Regina',
  Guadalajara: 'America/Mexico_City',
  'Central America': 'America/Guatemala',
  'Eastern Time (US & Canada)': 'America/New_York',
  'Indiana (East)': 'America/Indiana/Indianapolis',
  Quito: 'America/Lima',
  'Atlantic Time (Canada)': 'America/Halifax',
  Newfoundland: 'America/St_Johns',
  Brasilia: 'America/Sao_Paulo',
  'Buenos Aires': 'America/Argentina/Buenos_Aires',
  Georgetown: 'America/Guyana',
  Greenland: 'America/Godthab',
  'Mid-Atlantic': 'Atlantic/South_Georgia',
  'Cape Verde Is.': 'Atlantic/Cape_Verde',
  Edinburgh: 'Europe/London',
  Bern: 'Europe/Zurich',
  'West Central Africa': 'Africa/Algiers',
  Kyiv: 'Europe/Kiev',
  Pretoria: 'Africa/Johannesburg',
  'St. Petersburg': 'Europe/Moscow',
  'Abu Dhabi': 'Asia/Muscat',
  Ekaterinburg: 'Asia/Yekaterinburg',
  Islamabad: 'Asia/Karachi',
  Chennai: 'Asia/Kolkata',
  Mumbai: 'Asia/Kolkata',
  'New Delhi': 'Asia/Kolkata',
  Astana: 'Asia/Dhaka',
  'Sri Jayawardenepura': 'Asia/Colombo',
  Hanoi: 'Asia/Bangkok',
  Beijing: 'Asia/Shanghai',
  Osaka: 'Asia/Tokyo',
  Sapporo: 'Asia/Tokyo',
  Canberra: 'Australia/Melbourne',
  'Solomon Is.': 'Pacific/Guadalcanal',
  'New Caledonia': 'Pacific/Noumea',
  'Marshall Is.': 'Pacific/Majuro',
  Wellington: 'Pacific/Auckland',
  "Nuku'alofa": 'Pacific/Tongatapu',
  'Tokelau Is.': 'Pacific/Fakaofo',
  'Chatham Is.': 'Pacific/Chatham',
  Samoa: 'Pacific/Apia',
};

const ZONES_BY_ALIAS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CITIES_BY_REGION).flatMap(([region, cities]) =>
    cities.map((city) => [city, `${region}/${city.replaceAll(' ', '_')}`] as const),
  ),
  ...Object.entries(OTHER_ALIASES),
]);

/** All aliases, for tests. */
export const TIME_ZONE_ALIASES: readonly string[] = [...ZONES_BY_ALIAS.keys()];

/** Returns the IANA name of a time zone, or null. */
export function findTimeZone(name: string): string | null {
  const zone = ZONES_BY_ALIAS.get(name) ?? name;
  // An offset such as `+01:00` is not a zone name, although the JavaScript engine accepts it.
  if (!/^[A-Z]/i.test(zone)) return null;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return null;
  }
}
