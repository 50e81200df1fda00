import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getVersion: () => ({ by: 'stranger' }),
  getMetadata: () => ({ by: 'stranger' }),
};
