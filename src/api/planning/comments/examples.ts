import type { Examples } from '#test/examples/example.ts';
import { createAddedLinePosition, newCommitNoteable } from '../noteables/noteable-examples.ts';
import type * as endpoints from './endpoints.ts';

export const examples: Examples<typeof endpoints> = {
  listCommitComments: async (scene) => {
    const { url, path } = await newCommitNoteable(scene);
    await scene.expectSuccess(scene.project.owner.post(`${url}/comments`, { note: 'Nice' }));
    return { by: 'reporter', path };
  },
  createCommitComment: [
    async (scene) => ({ by: 'reporter', path: (await newCommitNoteable(scene)).path, params: { note: 'Nice' } }),
    async (scene) => {
      const { new_path: path, new_line: line } = createAddedLinePosition(scene.repository);
      return { by: 'reporter', path: (await newCommitNoteable(scene)).path, params: { note: 'Nice', path, line } };
    },
  ],
};
