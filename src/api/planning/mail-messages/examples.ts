import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listMailMessages: () => ({ by: 'administrator' }),
  retryMailMessage: async ({ newFailedMail }) => ({ by: 'administrator', path: { id: await newFailedMail() } }),
};
