import type { Examples } from '../../../../test/examples/example.ts';
import type * as runnerEndpoints from './runner-endpoints.ts';

export const examples: Examples<typeof runnerEndpoints> = {
  updateJob: async ({ newRunningJob }) => {
    const { id, token } = await newRunningJob();
    return { by: 'anonymous', path: { id }, params: { token, state: 'success' } };
  },
};
