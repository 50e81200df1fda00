import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listFeatures: () => ({ by: 'administrator' }),
  listFeatureDefinitions: () => ({ by: 'administrator' }),
  setFeature: ({ name }) => ({ by: 'administrator', path: { name: name('flag') }, params: { value: 'true' } }),
  deleteFeature: ({ name }) => ({ by: 'administrator', path: { name: name('flag') } }),
};
