import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type ContainerRef = Readonly<{ id: number }>;

const createProjectContainer = async ({ newEmptyProject }: Scene) => ({
  rootPath: '/projects',
  ...toContainerRef(await newEmptyProject()),
});
const createSnippetContainer = async ({ callers, expectSuccess }: Scene) => ({
  rootPath: '/snippets',
  ...toContainerRef(
    (await expectSuccess(callers.stranger.post('/snippets', { title: 'Moving', content: 'text' }))).body,
  ),
});
const createGroupContainer = async ({ newSubgroup }: Scene) => ({
  rootPath: '/groups',
  ...toContainerRef(await newSubgroup()),
});

const toContainerRef = ({ id }: ContainerRef): ContainerRef => ({ id });

type CreatedContainer = ContainerRef & { readonly rootPath: string };

/** Creates a move of the container within its storage, which copies nothing. */
async function createMove({ callers, expectSuccess }: Scene, { rootPath, id }: CreatedContainer) {
  const response = await expectSuccess(
    callers.administrator.post(`${rootPath}/${id}/repository_storage_moves`, { destination_storage_name: 'default' }),
  );
  return { id, repository_storage_move_id: response.body.id as number };
}

const by = 'administrator';
const scheduleMoves = () =>
  ({ by, params: { source_storage_name: 'default', destination_storage_name: 'default' } }) as const;
const listAllMoves = () => ({ by }) as const;
const buildGetMove = (createContainer: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) => {
  const { repository_storage_move_id } = await createMove(scene, await createContainer(scene));
  return { by, path: { repository_storage_move_id } } as const;
};
const buildListMovesOf = (createContainer: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: { id: (await createContainer(scene)).id } }) as const;
const buildGetMoveOf = (createContainer: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: await createMove(scene, await createContainer(scene)) }) as const;
const buildCreateMoveOf = (createContainer: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: { id: (await createContainer(scene)).id }, params: { destination_storage_name: 'default' } }) as const;

export const examples: Examples<typeof endpoints> = {
  scheduleProjectMoves: scheduleMoves,
  scheduleSnippetMoves: scheduleMoves,
  scheduleGroupMoves: scheduleMoves,
  listProjectMoves: listAllMoves,
  listSnippetMoves: listAllMoves,
  listGroupMoves: listAllMoves,
  getProjectMove: buildGetMove(createProjectContainer),
  getSnippetMove: buildGetMove(createSnippetContainer),
  getGroupMove: buildGetMove(createGroupContainer),
  listMovesOfProject: buildListMovesOf(createProjectContainer),
  listMovesOfSnippet: buildListMovesOf(createSnippetContainer),
  listMovesOfGroup: buildListMovesOf(createGroupContainer),
  getMoveOfProject: buildGetMoveOf(createProjectContainer),
  getMoveOfSnippet: buildGetMoveOf(createSnippetContainer),
  getMoveOfGroup: buildGetMoveOf(createGroupContainer),
  createProjectMove: buildCreateMoveOf(createProjectContainer),
  createSnippetMove: buildCreateMoveOf(createSnippetContainer),
  createGroupMove: buildCreateMoveOf(createGroupContainer),
};
