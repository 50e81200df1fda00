/** Returns the dates of a milestone or iteration as a text: `from 2026-11-01 to 2026-12-01`; empty without dates. */
export function formatPeriod(start: string | null, end: string | null): string {
  return [start === null ? '' : `from ${start}`, end === null ? '' : `to ${end}`]
    .filter((text) => text !== '')
    .join(' ');
}
