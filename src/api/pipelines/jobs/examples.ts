import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const buildJobPath = (project: { readonly id: number }, job_id: number) => ({ id: project.id, job_id });

export const examples: Examples<typeof endpoints> = {
  updateJob: async ({ newRunningJob }) => {
    const { id, token } = await newRunningJob();
    return { by: 'anonymous', path: { id }, params: { token, state: 'success' } };
  },
  listProjectJobs: [
    ({ project }) => ({ by: 'guest', path: { id: project.id } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { scope: ['pending', 'running'] } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { scope: 'failed', ref: 'main' } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { pagination: 'keyset' } }),
  ],
  listPipelineJobs: async ({ project, newPipeline }) => ({
    by: 'guest',
    path: { id: project.id, pipeline_id: await newPipeline() },
  }),
  getJob: async ({ project, newJob }) => ({ by: 'guest', path: buildJobPath(project, await newJob()) }),
  cancelJob: async ({ project, newJob }) => ({ by: 'developer', path: buildJobPath(project, await newJob()) }),
  retryJob: async ({ project, newJob }) => ({
    by: 'developer',
    path: buildJobPath(project, await newJob({ status: 'failed' })),
  }),
  playJob: async ({ project, newJob }) => ({
    by: 'developer',
    path: buildJobPath(project, await newJob({ status: 'manual', run_when: 'manual' })),
    params: { job_variables_attributes: [{ key: 'MODE', value: 'full' }] },
  }),
  listRunnerJobs: [
    async ({ newRunner }) => ({ by: 'maintainer', path: { id: (await newRunner()).id } }),
    async ({ newRunner }) => ({
      by: 'maintainer',
      path: { id: (await newRunner()).id },
      params: { status: 'running', order_by: 'id', system_id: 's_1' },
    }),
  ],
  listRunnerManagerJobs: async ({ newRunner }) => ({
    by: 'maintainer',
    path: { id: (await newRunner()).id, system_id: 's_1' },
  }),
  eraseJob: async ({ project, newArchivedJob }) => ({
    by: 'maintainer',
    path: buildJobPath(project, (await newArchivedJob({ status: 'success' })).id),
  }),
  getOwnJob: async ({ newRunningJob }) => ({ by: 'anonymous', headers: (await newRunningJob()).headers }),
};
