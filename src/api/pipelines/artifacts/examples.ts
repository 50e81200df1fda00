import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';
import { buildMultipartBody, MULTIPART_HEADERS } from './upload.testing.ts';

export const examples: Examples<typeof endpoints> = {
  uploadArtifacts: async ({ newRunningJob }) => {
    const { id, headers } = await newRunningJob();
    return {
      by: 'anonymous',
      path: { id },
      raw: buildMultipartBody({}),
      headers: { ...headers, ...MULTIPART_HEADERS },
    };
  },
  downloadDependency: async ({ newArchivedJob }) => {
    const { id, headers } = await newArchivedJob();
    return { by: 'anonymous', path: { id }, headers };
  },
  downloadArtifacts: async ({ project, newArchivedJob }) => ({
    by: 'guest',
    path: { id: project.id, job_id: (await newArchivedJob()).id },
  }),
  downloadArtifactFile: async ({ project, newLatestArchive }) => ({
    by: 'guest',
    path: { id: project.id, job_id: (await newLatestArchive()).id, path: 'a.txt' },
  }),
  downloadLatestArtifacts: async ({ project, newLatestArchive }) => {
    const { ref, name } = await newLatestArchive();
    return { by: 'guest', path: { id: project.id, ref_name: ref }, params: { job: name } };
  },
  downloadLatestArtifactFile: async ({ project, newLatestArchive }) => {
    const { ref, name } = await newLatestArchive();
    return { by: 'guest', path: { id: project.id, ref_name: ref, path: 'a.txt' }, params: { job: name } };
  },
  keepArtifacts: async ({ project, newArchivedJob }) => ({
    by: 'maintainer',
    path: { id: project.id, job_id: (await newArchivedJob()).id },
  }),
  deleteJobArtifacts: async ({ project, newArchivedJob }) => ({
    by: 'maintainer',
    path: { id: project.id, job_id: (await newArchivedJob()).id },
  }),
};
