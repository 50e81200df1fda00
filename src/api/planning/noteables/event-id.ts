/** The id of the step of a history that a path names; what is no number names none (contract/planning.md §3.11): 0 has no row. */
export function eventIdOf({ event_id: named }: { readonly event_id: string }): number {
  const id = /^\d+$/.test(named) ? Number(named) : 0;
  return Number.isSafeInteger(id) ? id : 0;
}
