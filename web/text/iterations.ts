/** Returns what an iteration is called: its title, or its first and last day. */
export const nameIteration = ({
  title,
  start_date,
  due_date,
}: {
  readonly title: string | null;
  readonly start_date: string;
  readonly due_date: string;
}): string => title ?? `${start_date} to ${due_date}`;

/** The numbers by which the API states what an iteration is at present. */
const STATES: Readonly<Record<number, string>> = { 1: 'upcoming', 2: 'current', 3: 'closed' };

export const nameIterationState = (state: number): string => STATES[state] ?? 'unknown';
