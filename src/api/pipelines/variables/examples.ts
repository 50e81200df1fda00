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

const createVariableKey = ({ name }: Scene) => name('key').replaceAll('-', '_');

const buildListExample =
  (loadOwner: LoadOwner): Build =>
  async (scene) => {
    const { by, path } = await loadOwner(scene);
    return { by, path };
  };

const buildCreateExample =
  (loadOwner: LoadOwner): Build =>
  async (scene) => {
    const { by, path } = await loadOwner(scene);
    return { by, path, params: { key: createVariableKey(scene), value: 'once upon a time' } };
  };

/** Builds an example of a call on a new variable. */
const buildVariableExample =
  (loadOwner: LoadOwner, params?: Example['params']): Build =>
  async (scene) => {
    const { by, at, path } = await loadOwner(scene);
    const key = createVariableKey(scene);
    await scene.expectSuccess(scene.callers.administrator.post(`${at}/variables`, { key, value: 'once upon a time' }));
    return { by, path: { ...path, key }, ...(params && { params }) };
  };

const VALUE_UPDATE = { value: 'happily-ever-after' };
const FULL_UPDATE = { ...VALUE_UPDATE, protected: true, masked: true, environment_scope: 'production' };

/** Builds examples that update one attribute, and all attributes. */
const buildUpdateExamples = (loadOwner: LoadOwner): readonly [Build, ...Build[]] => [
  buildVariableExample(loadOwner, VALUE_UPDATE),
  buildVariableExample(loadOwner, FULL_UPDATE),
];

export const examples: Examples<typeof endpoints> = {
  listGroupVariables: buildListExample(loadGroup),
  listProjectVariables: buildListExample(loadProject),
  listInstanceVariables: buildListExample(loadInstance),
  getGroupVariable: buildVariableExample(loadGroup),
  getProjectVariable: buildVariableExample(loadProject),
  getInstanceVariable: buildVariableExample(loadInstance),
  createGroupVariable: buildCreateExample(loadGroup),
  createProjectVariable: buildCreateExample(loadProject),
  createInstanceVariable: buildCreateExample(loadInstance),
  updateGroupVariable: buildUpdateExamples(loadGroup),
  updateProjectVariable: buildUpdateExamples(loadProject),
  updateInstanceVariable: buildUpdateExamples(loadInstance),
  deleteGroupVariable: buildVariableExample(loadGroup),
  deleteProjectVariable: buildVariableExample(loadProject),
  deleteInstanceVariable: buildVariableExample(loadInstance),
};
