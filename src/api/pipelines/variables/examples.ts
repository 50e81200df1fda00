import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Who manages variables somewhere, and where that is. */
interface Place {
  readonly by: Example['by'];
  readonly at: string;
  readonly path: { readonly id?: number };
}
type Where = (scene: Scene) => Place | Promise<Place>;

const inProject: Where = ({ project: { id, at } }) => ({ by: 'maintainer', at, path: { id } });
const inGroup: Where = ({ group: { id, at } }) => ({ by: 'owner', at, path: { id } });

/** The instance takes few: the oldest ones, of examples that are over, make room. */
const ofInstance: Where = async ({ callers, expectSuccess }) => {
  const at = '/admin/ci';
  const { body } = await expectSuccess(callers.administrator.get(`${at}/variables`));
  for (const { key } of body.slice(0, -15)) await expectSuccess(callers.administrator.delete(`${at}/variables/${key}`));
  return { by: 'administrator', at, path: {} };
};

const newKey = ({ name }: Scene) => name('key').replaceAll('-', '_');

const list =
  (where: Where): Build =>
  async (scene) => {
    const { by, path } = await where(scene);
    return { by, path };
  };

const create =
  (where: Where): Build =>
  async (scene) => {
    const { by, path } = await where(scene);
    return { by, path, params: { key: newKey(scene), value: 'once upon a time' } };
  };

/** The same call on a variable of its own. */
const onOne =
  (where: Where, params?: Example['params']): Build =>
  async (scene) => {
    const { by, at, path } = await where(scene);
    const key = newKey(scene);
    await scene.expectSuccess(scene.callers.administrator.post(`${at}/variables`, { key, value: 'once upon a time' }));
    return { by, path: { ...path, key }, ...(params && { params }) };
  };

const CHANGE = { value: 'happily-ever-after' };
const CHANGES = { ...CHANGE, protected: true, masked: true, environment_scope: 'production' };

/** Changes that are told once, and in every way there is. */
const changes = (where: Where): readonly [Build, ...Build[]] => [onOne(where, CHANGE), onOne(where, CHANGES)];

export const examples: Examples<typeof endpoints> = {
  listGroupVariables: list(inGroup),
  listProjectVariables: list(inProject),
  listInstanceVariables: list(ofInstance),
  getGroupVariable: onOne(inGroup),
  getProjectVariable: onOne(inProject),
  getInstanceVariable: onOne(ofInstance),
  createGroupVariable: create(inGroup),
  createProjectVariable: create(inProject),
  createInstanceVariable: create(ofInstance),
  updateGroupVariable: changes(inGroup),
  updateProjectVariable: changes(inProject),
  updateInstanceVariable: changes(ofInstance),
  deleteGroupVariable: onOne(inGroup),
  deleteProjectVariable: onOne(inProject),
  deleteInstanceVariable: onOne(ofInstance),
};
