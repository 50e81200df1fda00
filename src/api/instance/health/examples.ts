import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getHealth: () => ({ by: 'anonymous' }),
  getLiveness: () => ({ by: 'anonymous' }),
  getReadiness: () => ({ by: 'anonymous' }),
  getMetrics: () => ({ by: 'anonymous' }),
};
