/** Returns the resource event id in the path. Returns 0, which no row has, if it is not a number (contract/planning.md §3.11). */
export function parseEventId({ event_id: raw }: { readonly event_id: string }): number {
  const id = /^\d+$/.test(raw) ? Number(raw) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}
