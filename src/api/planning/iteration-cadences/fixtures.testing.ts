import type { Caller } from '#test/support/caller.ts';
import { expectSuccess } from '#test/support/world.ts';

type Params = Readonly<Record<string, unknown>>;

interface GroupFixture {
  /** Path of the group's API. */
  readonly at: string;
  readonly owner: Caller;
}

/** An automatic cadence: iterations of two weeks, two in advance, starting on the first day of the test clock. */
export const AUTOMATIC = { start_date: '2026-01-02', duration_in_weeks: 2, iterations_in_advance: 2 } as const;

/** Creates a cadence, by default an automatic one, as the group's owner and returns its JSON. */
export async function newCadence({ at, owner }: GroupFixture, params: Params = AUTOMATIC) {
  return (await expectSuccess(owner.post(`${at}/iteration_cadences`, { title: 'Weeks', ...params }))).body;
}

/** Creates an iteration as the group's owner and returns its JSON. */
export async function newIteration(
  { at, owner }: GroupFixture,
  start_date: string,
  due_date: string,
  params: Params = {},
) {
  return (await expectSuccess(owner.post(`${at}/iterations`, { start_date, due_date, ...params }))).body;
}

/** Returns `<start> <due>` for each iteration of the group itself. */
export async function listPeriods({ at, owner }: GroupFixture, params: Params = {}): Promise<string[]> {
  const { body } = await expectSuccess(owner.get(`${at}/iterations`, { include_ancestors: false, ...params }));
  return body.map(
    (iteration: { start_date: string; due_date: string }) => `${iteration.start_date} ${iteration.due_date}`,
  );
}
