import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const buildPipelinePath = (project: { readonly id: number }, pipeline_id: number) => ({ id: project.id, pipeline_id });

export const examples: Examples<typeof endpoints> = {
  listPipelines: [
    ({ project }) => ({ by: 'guest', path: { id: project.id } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { scope: 'branches', username: 'root' } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { status: 'running', order_by: 'ref' } }),
    ({ project }) => ({ by: 'guest', path: { id: project.id }, params: { order_by: 'user_id', sort: 'asc' } }),
  ],
  createPipeline: async ({ project, newBranch, callers: { owner }, expectSuccess }) => {
    const branch = await newBranch();
    const file = { branch, content: 'unit: {script: make test}\n', commit_message: 'Say what runs' };
    await expectSuccess(owner.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, file));
    const variables = [{ key: 'MODE', value: 'full' }];
    return { by: 'developer', path: { id: project.id }, params: { ref: branch, variables } };
  },
  listMergeRequestPipelines: async ({ project, newMergeRequest }) => ({
    by: 'planner',
    path: { id: project.id, merge_request_iid: (await newMergeRequest()).iid },
  }),
  getLatestPipeline: async ({ project, newPipeline }) => {
    await newPipeline();
    return { by: 'guest', path: { id: project.id }, params: { ref: 'feature' } };
  },
  getPipeline: async ({ project, newPipeline }) => ({
    by: 'guest',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  listPipelineVariables: async ({ project, newPipeline }) => ({
    by: 'maintainer',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  listPipelineBridges: async ({ project, newPipeline }) => ({
    by: 'guest',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  listPipelineNeeds: async ({ project, newPipeline }) => ({
    by: 'guest',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  retryPipeline: async ({ project, newPipeline }) => ({
    by: 'developer',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  cancelPipeline: async ({ project, newPipeline }) => ({
    by: 'developer',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  deletePipeline: async ({ project, newPipeline }) => ({
    by: 'owner',
    path: buildPipelinePath(project, await newPipeline()),
  }),
  updatePipelineMetadata: async ({ project, newPipeline }) => ({
    by: 'developer',
    path: buildPipelinePath(project, await newPipeline()),
    params: { name: 'Nightly' },
  }),
  listPackagePipelines: ({ project }) => ({ by: 'reporter', path: { id: project.id, package_id: 1 } }),
};
