import { type Caller, done } from '#test/support/world.ts';

/** A thread on a thing, by this caller; where it is, and as it was answered. */
export async function begin(by: Caller, { at }: { readonly at: string }, params: object = {}) {
  const { body: thread } = await done(by.post(`${at}/discussions`, { body: 'It spins', ...params }));
  return { thread, at: `${at}/discussions/${thread.id}` };
}
