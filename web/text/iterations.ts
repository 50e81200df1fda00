/** Returns the display name of an iteration: its title, or its first and last day. */
export const nameIteration = ({
  title,
  start_date,
  due_date,
}: {
  readonly title: string | null;
  readonly start_date: string;
  readonly due_date: string;
}): string => title ?? `${start_date} to ${due_date}`;

/** The numbers of the iteration states in the API. */
const STATES: Readonly<Record<number, string>> = { 1: 'upcoming', 2: 'current', 3: 'closed' };

export const nameIterationState = (state: number): string => STATES[state] ?? 'unknown';
