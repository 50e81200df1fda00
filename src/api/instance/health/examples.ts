import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  readHealth: () => ({ by: 'anonymous' }),
  readLiveness: () => ({ by: 'anonymous' }),
  readReadiness: () => ({ by: 'anonymous' }),
  readMetrics: () => ({ by: 'anonymous' }),
};
