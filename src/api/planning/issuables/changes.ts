/** Returns the entries of `columns` whose value differs from the row. */
export function pickChangedColumns<Row extends object>(row: Row, columns: Partial<Row>): Partial<Row> {
  const changedEntries = Object.entries(columns).filter(([name, value]) => row[name as keyof Row] !== value);
  return Object.fromEntries(changedEntries) as Partial<Row>;
}

/** Returns whether both lists have the same ids, in any order. */
export const isSameSet = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Returns the state columns after an event. Returns none if the issuable already has that state, or for no event. */
export function stateColumnsAfter(
  state: string,
  event: 'close' | 'reopen' | null | undefined,
  { now, actor }: { readonly now: string; readonly actor: { readonly user: { readonly id: number } } },
) {
  if (event === 'close' && state === 'opened') {
    return { state: 'closed', closed_at: now, closed_by_id: actor.user.id } as const;
  }
  if (event === 'reopen' && state === 'closed') {
    return { state: 'opened', closed_at: null, closed_by_id: null } as const;
  }
  return {};
}
