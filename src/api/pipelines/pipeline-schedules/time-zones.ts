/** Time zone names: IANA names, and the aliases of Ruby on Rails, which API clients use. */

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
