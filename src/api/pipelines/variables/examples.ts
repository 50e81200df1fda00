import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** An owner of variables, and a caller who manages them. */
interface ManagedOwner {
  readonly by: Example['by'];
  /** URL of the owner. */
  readonly at: string;
  readonly path: { readonly id?: number };
}
type LoadOwner = (scene: Scene) => ManagedOwner | Promise<ManagedOwner>;

const loadProject: LoadOwner = ({ project: { id, at } }) => ({ by: 'maintainer', at, path: { id } });
const loadGroup: LoadOwner = ({ group: { id, at } }) => ({ by: 'owner', at, path: { id } });

/** Deletes all but the newest 15 instance variables, because their number is limited. */
const loadInstance: LoadOwner = async ({ callers, expectSuccess }) => {
  const at = '/admin/ci';
  const { body } = await expectSuccess(callers.administrator.get(`${at}/variables`));
  for (const { key } of body.slice(0, -15)) await expectSuccess(callers.administrator.delete(`${at}/variables/${key}`));
  return { by: 'administrator', at, path: {} };
};

const createKey = ({ name }: Scene) => name('key').replaceAll('-', '_');

const listExample =
  (loadOwner: LoadOwner): Build =>
  async (scene) => {
    const { by, path } = await loadOwner(scene);
    return { by, path };
  };

const createExample =
  (loadOwner: LoadOwner): Build =>
  async (scene) => {
    const { by, path } = await loadOwner(scene);
    return { by, path, params: { key: createKey(scene), value: 'once upon a time' } };
  };

/** Example of a call on a new variable. */
const onNewVariable =
  (loadOwner: LoadOwner, params?: Example['params']): Build =>
  async (scene) => {
    const { by, at, path } = await loadOwner(scene);
    const key = createKey(scene);
    await scene.expectSuccess(scene.callers.administrator.post(`${at}/variables`, { key, value: 'once upon a time' }));
    return { by, path: { ...path, key }, ...(params && { params }) };
  };

const VALUE_UPDATE = { value: 'happily-ever-after' };
const FULL_UPDATE = { ...VALUE_UPDATE, protected: true, masked: true, environment_scope: 'production' };

/** Examples that update one attribute, and all attributes. */
const updateExamples = (loadOwner: LoadOwner): readonly [Build, ...Build[]] => [
  onNewVariable(loadOwner, VALUE_UPDATE),
  onNewVariable(loadOwner, FULL_UPDATE),
];

export const examples: Examples<typeof endpoints> = {
  listGroupVariables: listExample(loadGroup),
  listProjectVariables: listExample(loadProject),
  listInstanceVariables: listExample(loadInstance),
  getGroupVariable: onNewVariable(loadGroup),
  getProjectVariable: onNewVariable(loadProject),
  getInstanceVariable: onNewVariable(loadInstance),
  createGroupVariable: createExample(loadGroup),
  createProjectVariable: createExample(loadProject),
  createInstanceVariable: createExample(loadInstance),
  updateGroupVariable: updateExamples(loadGroup),
  updateProjectVariable: updateExamples(loadProject),
  updateInstanceVariable: updateExamples(loadInstance),
  deleteGroupVariable: onNewVariable(loadGroup),
  deleteProjectVariable: onNewVariable(loadProject),
  deleteInstanceVariable: onNewVariable(loadInstance),
};
