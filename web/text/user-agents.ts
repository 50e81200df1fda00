/** Programs by a word in their `User-Agent`; the first that occurs is the one, because browsers name others too. */
const BROWSERS: readonly (readonly [word: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chromium/', 'Chromium'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [word: string, name: string])[] = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

/** Returns a short name of a browser, such as `Firefox on Linux`; for an unknown browser, the header as it was sent. */
export function describeUserAgent(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const find = (names: typeof BROWSERS) => names.find(([word]) => userAgent.includes(word))?.[1];
  const browser = find(BROWSERS);
  if (browser === undefined) return userAgent;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
