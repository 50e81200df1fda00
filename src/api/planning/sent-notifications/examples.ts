import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getUnsubscribePage: async ({ createUnsubscribeToken }) => ({
    by: 'anonymous',
    path: { token: await createUnsubscribeToken() },
  }),
  unsubscribeByMail: async ({ createUnsubscribeToken }) => ({
    by: 'anonymous',
    path: { token: await createUnsubscribeToken() },
  }),
};
