import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type ContainerRef = Readonly<{ id: number }>;

const ofProject = async ({ newEmptyProject }: Scene) => ({ at: '/projects', ...idOf(await newEmptyProject()) });
const ofSnippet = async ({ callers, expectSuccess }: Scene) => ({
  at: '/snippets',
  ...idOf((await expectSuccess(callers.stranger.post('/snippets', { title: 'Moving', content: 'text' }))).body),
});
const ofGroup = async ({ newSubgroup }: Scene) => ({ at: '/groups', ...idOf(await newSubgroup()) });

const idOf = ({ id }: ContainerRef): ContainerRef => ({ id });

type CreatedContainer = ContainerRef & { readonly at: string };

/** Creates a move of the container within its storage, which copies nothing. */
async function createMove({ callers, expectSuccess }: Scene, { at, id }: CreatedContainer) {
  const answer = await expectSuccess(
    callers.administrator.post(`${at}/${id}/repository_storage_moves`, { destination_storage_name: 'default' }),
  );
  return { id, repository_storage_move_id: answer.body.id as number };
}

const by = 'administrator';
const all = () => ({ by, params: { source_storage_name: 'default', destination_storage_name: 'default' } }) as const;
const list = () => ({ by }) as const;
const read = (make: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) => {
  const { repository_storage_move_id } = await createMove(scene, await make(scene));
  return { by, path: { repository_storage_move_id } } as const;
};
const listOf = (make: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: { id: (await make(scene)).id } }) as const;
const readOf = (make: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: await createMove(scene, await make(scene)) }) as const;
const create = (make: (scene: Scene) => Promise<CreatedContainer>) => async (scene: Scene) =>
  ({ by, path: { id: (await make(scene)).id }, params: { destination_storage_name: 'default' } }) as const;

export const examples: Examples<typeof endpoints> = {
  scheduleProjectMoves: all,
  scheduleSnippetMoves: all,
  scheduleGroupMoves: all,
  listProjectMoves: list,
  listSnippetMoves: list,
  listGroupMoves: list,
  getProjectMove: read(ofProject),
  getSnippetMove: read(ofSnippet),
  getGroupMove: read(ofGroup),
  listMovesOfProject: listOf(ofProject),
  listMovesOfSnippet: listOf(ofSnippet),
  listMovesOfGroup: listOf(ofGroup),
  getMoveOfProject: readOf(ofProject),
  getMoveOfSnippet: readOf(ofSnippet),
  getMoveOfGroup: readOf(ofGroup),
  createProjectMove: create(ofProject),
  createSnippetMove: create(ofSnippet),
  createGroupMove: create(ofGroup),
};
