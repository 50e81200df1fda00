import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  requestJob: async ({ newWaitingJob }) => ({ by: 'anonymous', params: { token: await newWaitingJob() } }),
};
