import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const reading: Build = ({ project }) => ({
  by: 'reporter',
  path: { id: project.id, file_path: 'docs/guide.md' },
  params: { ref: 'main' },
});

/** The same write onto `feature`, and onto a new branch. */
const writing = (file: (scene: Scene) => string | Promise<string>, content: object): [Build, Build] => {
  const write = async (scene: Scene, params: object): Promise<Example> => ({
    by: 'developer',
    path: { id: scene.project.id, file_path: await file(scene) },
    params: { commit_message: 'Change a file', ...content, ...params },
  });
  return [
    (scene) => write(scene, { branch: 'feature' }),
    (scene) => write(scene, { branch: scene.name('branch'), start_branch: 'feature' }),
  ];
};

export const examples: Examples<typeof endpoints> = {
  readFile: reading,
  headFile: reading,
  blameFile: reading,
  headBlame: reading,
  readRawFile: reading,
  createFile: [
    ...writing(({ name }) => `${name('docs')}/new.md`, { content: 'New\n' }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { id: (await newEmptyProject()).id, file_path: 'first.md' },
      params: { branch: 'main', content: 'First\n', commit_message: 'Begin' },
    }),
  ],
  updateFile: writing(({ newFile }) => newFile(), { content: 'Changed\n' }),
  deleteFile: writing(({ newFile }) => newFile(), {}),
};
