/** Of these columns those that differ from what the row has. */
export function differing<Row extends object>(row: Row, columns: Partial<Row>): Partial<Row> {
  const different = Object.entries(columns).filter(([name, value]) => row[name as keyof Row] !== value);
  return Object.fromEntries(different) as Partial<Row>;
}

/** The same ids, in any order. */
export const sameSet = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** What becomes of a state: closing what is closed, or reopening what is open, is nothing. */
export function stateAfter(
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
