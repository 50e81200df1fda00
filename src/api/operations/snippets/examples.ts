import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const input = { title: 'Notes', content: 'text' };

/** Creates a snippet of the stranger with the scene's visibility. */
async function createStrangersSnippet({ callers, visibility, expectSuccess }: Scene): Promise<{ readonly id: number }> {
  return { id: (await expectSuccess(callers.stranger.post('/snippets', { ...input, visibility }))).body.id };
}

export const examples: Examples<typeof endpoints> = {
  createSnippet: () => ({ by: 'stranger', params: { ...input, file_name: 'a.md', visibility: 'internal' } }),
  listSnippets: () => ({ by: 'stranger' }),
  listAllSnippets: () => ({ by: 'stranger' }),
  getSnippet: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
  getSnippetContent: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
  deleteSnippet: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
};
