import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  getWebFile: () => ({ by: 'anonymous', path: { file: 'icon.svg' } }),
  getFavicon: () => ({ by: 'anonymous' }),
  getRobotsFile: () => ({ by: 'anonymous' }),
};
