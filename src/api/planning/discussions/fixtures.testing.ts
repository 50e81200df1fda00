import { type Caller, expectSuccess } from '#test/support/world.ts';

/** Creates a thread on a noteable as this caller. Returns the response body and the URL of the thread. */
export async function createThread(by: Caller, { at }: { readonly at: string }, params: object = {}) {
  const { body: thread } = await expectSuccess(by.post(`${at}/discussions`, { body: 'It spins', ...params }));
  return { thread, at: `${at}/discussions/${thread.id}` };
}
