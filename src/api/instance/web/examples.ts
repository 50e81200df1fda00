import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

const HTML = { Accept: 'text/html' };

export const examples: Examples<typeof endpoints> = {
  getExplorePage: () => ({ by: 'anonymous', headers: HTML }),
  getProjectPage: ({ project }) => ({ by: 'anonymous', path: { project: project.path_with_namespace }, headers: HTML }),
  getTreePage: ({ project }) => ({
    by: 'anonymous',
    path: { project: project.path_with_namespace, ref_path: 'main' },
    headers: HTML,
  }),
  getFilePage: ({ project }) => ({
    by: 'anonymous',
    path: { project: project.path_with_namespace, ref_path: 'main/README.md' },
    headers: HTML,
  }),
  getCommitsPage: ({ project }) => ({
    by: 'anonymous',
    path: { project: project.path_with_namespace, ref: 'main' },
    headers: HTML,
  }),
  getBranchesPage: ({ project }) => ({
    by: 'anonymous',
    path: { project: project.path_with_namespace },
    headers: HTML,
  }),
  getTagsPage: ({ project }) => ({ by: 'anonymous', path: { project: project.path_with_namespace }, headers: HTML }),
  getWebFile: () => ({ by: 'anonymous', path: { file: 'icon.svg' } }),
  getFavicon: () => ({ by: 'anonymous' }),
  getRobotsFile: () => ({ by: 'anonymous' }),
};
