import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getApplicationSettings: () => ({ by: 'administrator' }),
  updateApplicationSettings: ({ name }) => ({
    by: 'administrator',
    params: { rate_limiting_response_text: name('Slow down') },
  }),
};
