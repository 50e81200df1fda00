import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getUnsubscribePage: async ({ leavingToken }) => ({ by: 'anonymous', path: { token: await leavingToken() } }),
  unsubscribeByMail: async ({ leavingToken }) => ({ by: 'anonymous', path: { token: await leavingToken() } }),
};
