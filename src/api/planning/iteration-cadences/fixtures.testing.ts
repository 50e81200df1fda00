import type { Caller } from '#test/support/caller.ts';
import { done } from '#test/support/world.ts';

type Params = Readonly<Record<string, unknown>>;

interface Place {
  readonly at: string;
  readonly owner: Caller;
}

/** A cadence of two weeks each, of which two are made in advance, that begins on the day on which tests begin. */
export const AUTOMATIC = { start_date: '2026-01-02', duration_in_weeks: 2, iterations_in_advance: 2 } as const;

export async function newCadence({ at, owner }: Place, params: Params = AUTOMATIC) {
  return (await done(owner.post(`${at}/iteration_cadences`, { title: 'Weeks', ...params }))).body;
}

export async function newIteration({ at, owner }: Place, start_date: string, due_date: string, params: Params = {}) {
  return (await done(owner.post(`${at}/iterations`, { start_date, due_date, ...params }))).body;
}

/** First and last days of a group's own iterations. */
export async function daysOf({ at, owner }: Place, params: Params = {}): Promise<string[]> {
  const { body } = await done(owner.get(`${at}/iterations`, { include_ancestors: false, ...params }));
  return body.map((one: { start_date: string; due_date: string }) => `${one.start_date} ${one.due_date}`);
}
