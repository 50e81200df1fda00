/** Seconds per unit of durations such as `1w 2d 3h 30m`. A week has five days of eight hours (contract/planning.md §3.6). */
const SECONDS_PER_UNIT = { mo: 160 * 3600, w: 40 * 3600, d: 8 * 3600, h: 3600, m: 60, s: 1 } as const;
const UNITS = ['mo', 'w', 'd', 'h', 'm', 's'] as const;
const MAX_SECONDS = 2 ** 31 - 1;

const PART = /(\d{1,9}(?:\.\d{1,9})?)(mo|w|d|h|m|s)?[ \t]*/y;

/** Returns the duration in seconds, or null if the text is invalid. A number without a unit is in hours. A leading sign applies to all parts. */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim();
  const sign = trimmed.startsWith('-') ? -1 : 1;
  const unsignedText = trimmed.replace(/^[-+]/, '');
  if (unsignedText === '') return null;
  let seconds = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsignedText.length) {
    const part = PART.exec(unsignedText);
    if (part === null) return null;
    seconds += Number(part[1]) * SECONDS_PER_UNIT[(part[2] as keyof typeof SECONDS_PER_UNIT | undefined) ?? 'h'];
  }
  const roundedSeconds = Math.round(seconds);
  return roundedSeconds > MAX_SECONDS ? null : sign * roundedSeconds + 0;
}

/** Formats a duration as `3h 30m`; returns null for 0. */
export function formatDuration(seconds: number): string | null {
  if (seconds === 0) return null;
  let remainingSeconds = Math.abs(seconds);
  const parts: string[] = [];
  for (const unit of UNITS) {
    const unitCount = Math.floor(remainingSeconds / SECONDS_PER_UNIT[unit]);
    remainingSeconds -= unitCount * SECONDS_PER_UNIT[unit];
    if (unitCount > 0) parts.push(`${unitCount}${unit}`);
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}
