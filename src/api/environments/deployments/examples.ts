import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const toPath = (project: { readonly id: number }, deployment: { readonly id: number }) => ({
  id: project.id,
  deployment_id: deployment.id,
});

export const examples: Examples<typeof endpoints> = {
  listDeployments: [
    ({ project }) => ({ by: 'reporter', path: { id: project.id } }),
    async ({ project, newDeployment }) => {
      const { environment } = await newDeployment();
      return { by: 'reporter', path: { id: project.id }, params: { environment: environment.name } };
    },
    ...[
      { status: 'running', order_by: 'created_at' },
      { order_by: 'updated_at', sort: 'desc', updated_after: '2026-01-01' },
      { status: 'success', order_by: 'finished_at', finished_after: '2026-01-01' },
    ].map(
      (params) =>
        ({ project }: { readonly project: { readonly id: number } }) =>
          ({ by: 'reporter', path: { id: project.id }, params }) as const,
    ),
  ],
  getDeployment: async ({ project, newDeployment }) => ({
    by: 'reporter',
    path: toPath(project, await newDeployment()),
  }),
  createDeployment: ({ project, repository, name }) => ({
    by: 'developer',
    path: { id: project.id },
    params: { environment: name('environment'), sha: repository.main, ref: 'main', tag: false, status: 'success' },
  }),
  updateDeployment: async ({ project, newDeployment }) => ({
    by: 'developer',
    path: toPath(project, await newDeployment()),
    params: { status: 'success' },
  }),
  deleteDeployment: async ({ project, newDeployment }) => ({
    by: 'maintainer',
    path: toPath(project, await newDeployment({ status: 'failed' })),
  }),
  approveDeployment: [
    async ({ project, newAwaitedDeployment }) => ({
      by: 'maintainer',
      path: toPath(project, await newAwaitedDeployment()),
      params: { status: 'approved', comment: 'Fine' },
    }),
    async ({ project, newAwaitedDeployment }) => ({
      by: 'maintainer',
      path: toPath(project, await newAwaitedDeployment()),
      params: { status: 'rejected' },
    }),
  ],
  listDeploymentMergeRequests: [
    async ({ project, newDeployment }) => ({ by: 'reporter', path: toPath(project, await newDeployment()) }),
    async ({ project, newDeployment }) => ({
      by: 'reporter',
      path: toPath(project, await newDeployment()),
      params: { state: 'merged', order_by: 'merged_at' },
    }),
  ],
};
