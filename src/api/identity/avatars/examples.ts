import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getAvatar: () => ({ by: 'anonymous', path: { file: '0123456789abcdef.svg' } }),
};
