import type { Examples } from '../../../../test/examples/example.ts';
import type * as endpoints from './endpoints.ts';
import { MULTIPART, multipart } from './upload.testing.ts';

export const examples: Examples<typeof endpoints> = {
  uploadArtifacts: async ({ newRunningJob }) => {
    const { id, headers } = await newRunningJob();
    return { by: 'anonymous', path: { id }, raw: multipart({}), headers: { ...headers, ...MULTIPART } };
  },
};
