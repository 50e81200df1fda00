import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  appendTrace: async ({ newRunningJob }) => {
    const { id, headers } = await newRunningJob();
    return { by: 'anonymous', path: { id }, raw: 'Hello\n', headers: { ...headers, 'Content-Range': '0-5' } };
  },
  getTrace: async ({ project, newJob }) => ({ by: 'guest', path: { id: project.id, job_id: await newJob() } }),
};
