import { createHash } from 'node:crypto';
import type { Examples } from '#test/examples/example.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  batchLfsObjects: ({ project, repository }) => ({
    by: 'reporter',
    path: { repository_path: project.path_with_namespace },
    raw: JSON.stringify({ operation: 'download', objects: [repository.lfs] }),
    headers: { 'Content-Type': 'application/vnd.git-lfs+json' },
    proof: 'basic',
  }),
  uploadLfsObject: ({ project, name }) => {
    const raw = Buffer.from(name('content'));
    const oid = createHash('sha256').update(raw).digest('hex');
    return {
      by: 'developer',
      path: { repository_path: project.path_with_namespace, oid, size: raw.length },
      raw,
      proof: 'basic',
    };
  },
  downloadLfsObject: ({ project, repository }) => ({
    by: 'reporter',
    path: { repository_path: project.path_with_namespace, oid: repository.lfs.oid },
    proof: 'basic',
  }),
};
