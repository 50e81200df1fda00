import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const readExample: Build = ({ project }) => ({
  by: 'reporter',
  path: { id: project.id, file_path: 'docs/guide.md' },
  params: { ref: 'main' },
});

/** Returns two examples: the same write to `feature` and to a new branch. */
const createWriteExamples = (file: (scene: Scene) => string | Promise<string>, content: object): [Build, Build] => {
  const createWriteExample = async (scene: Scene, params: object): Promise<Example> => ({
    by: 'developer',
    path: { id: scene.project.id, file_path: await file(scene) },
    params: { commit_message: 'Change a file', ...content, ...params },
  });
  return [
    (scene) => createWriteExample(scene, { branch: 'feature' }),
    (scene) => createWriteExample(scene, { branch: scene.name('branch'), start_branch: 'feature' }),
  ];
};

export const examples: Examples<typeof endpoints> = {
  getFile: readExample,
  getFileHeaders: readExample,
  getFileBlame: readExample,
  getBlameHeaders: readExample,
  getRawFile: readExample,
  createFile: [
    ...createWriteExamples(({ name }) => `${name('docs')}/new.md`, { content: 'New\n' }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { id: (await newEmptyProject()).id, file_path: 'first.md' },
      params: { branch: 'main', content: 'First\n', commit_message: 'Begin' },
    }),
  ],
  updateFile: createWriteExamples(({ newFile }) => newFile(), { content: 'Changed\n' }),
  deleteFile: createWriteExamples(({ newFile }) => newFile(), {}),
};
