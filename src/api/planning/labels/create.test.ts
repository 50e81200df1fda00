import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Group, type Project, world } from '#test/support/world.ts';

const here = await world();
const group = await here.newGroup({ with: ['planner', 'guest'] });
const project = await here.newProject({ in: group, with: ['planner', 'guest'] });

const places: readonly (readonly [string, Group | Project])[] = [
  ['group', group],
  ['project', project],
];

for (const [kind, { at, owner }] of places) {
  test(`returns all fields of a new label of a ${kind}`, async () => {
    const name = here.name('Bug');
    const { status, body } = await owner.post(`${at}/labels`, {
      name: ` ${name} `,
      color: '#f00',
      description: 'a < b & c',
    });
    assert.equal(status, 201);
    const { id, ...rest } = body;
    assert.deepEqual(rest, {
      name,
      description: 'a < b & c',
      description_html: 'a &lt; b &amp; c',
      text_color: '#FFFFFF',
      color: '#ff0000',
      archived: false,
      subscribed: false,
      ...(kind === 'project' ? { priority: null, is_project_label: true } : {}),
    });
    assert.deepEqual((await owner.get(`${at}/labels/${id}`)).body, body);
  });

  for (const [input, params, message] of [
    ['a blank title', { name: '  ' }, { title: ["can't be blank", 'is invalid'] }],
    ['a title with a comma', { name: 'a,b' }, { title: ['is invalid'] }],
    ['a title of 256 characters', { name: 'é'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
    ['an invalid color', { color: '#12' }, { color: ['must be a valid color code'] }],
    [
      'an empty title and an empty color',
      { name: '', color: '' },
      { title: ["can't be blank", 'is invalid'], color: ['must be a valid color code'] },
    ],
    [
      'a description over 512 KiB',
      { description: 'x'.repeat(600 * 1024) },
      { description: ['is too long (600 KB). The maximum size is 512 KB.'] },
    ],
  ] as const) {
    test(`rejects a label of a ${kind} with ${input}`, async () => {
      const before = (await owner.get(`${at}/labels`)).body.length;
      const refused = await owner.post(`${at}/labels`, { name: here.name('Label'), color: 'red', ...params });
      assert.deepEqual([refused.status, refused.body], [400, { message }]);
      assert.equal((await owner.get(`${at}/labels`)).body.length, before);
    });
  }
}

test('requires title and color', async () => {
  const { status, body } = await project.owner.post(`${project.at}/labels`);
  assert.deepEqual([status, body], [400, { error: 'name is missing, color is missing' }]);
});

test('sets the priority in a project and rejects negative ones', async () => {
  const { at, planner } = project;
  const post = (priority: number) => planner.post(`${at}/labels`, { name: here.name('Label'), color: 'red', priority });
  assert.equal((await post(0)).body.priority, 0);
  assert.equal((await post(7)).body.priority, 7);
  const refused = await post(-1);
  assert.deepEqual(refused.body, { message: { priority: ['must be greater than or equal to 0'] } });
});

test('rejects a title that a label of the parent or an ancestor group has, case-sensitively', async () => {
  const { newGroup, newProject, name } = here;
  const subgroup = await newGroup({ in: group });
  const below = await newProject({ in: subgroup });
  const [own, above] = [name('Own'), name('Above')];
  const create = (at: string, title: string) => group.owner.post(`${at}/labels`, { name: title, color: 'red' });
  assert.equal((await create(below.at, own)).status, 201);
  assert.equal((await create(group.at, above)).status, 201);
  for (const [at, title] of [
    [below.at, own],
    [below.at, above],
    [subgroup.at, above],
    [group.at, above],
  ] as const) {
    const { status, body } = await create(at, title);
    assert.deepEqual([status, body], [409, { message: 'Label already exists' }], `${at} ${title}`);
  }
  // Titles of descendants are not taken for the group, and titles are case-sensitive.
  assert.equal((await create(group.at, own)).status, 201);
  assert.equal((await create(below.at, own.toLowerCase())).status, 201);
});

test('creates at most one label per parent on ten concurrent requests with one title', async () => {
  const name = here.name('Race');
  const post = (at: string) => group.owner.post(`${at}/labels`, { name, color: 'red' });
  const all = await Promise.all(Array.from({ length: 10 }, (_, n) => post(n % 2 === 0 ? project.at : group.at)));
  const made = all.filter(({ status }) => status === 201).length;
  assert.ok(made === 1 || made === 2, `${made}`);
  assert.equal(all.filter(({ status }) => status === 409).length, 10 - made);
  const inGroup = (await group.owner.get(`${group.at}/labels`, { search: name })).body.length;
  assert.equal(inGroup, 1);
});

test('lets Planners manage labels, and nobody while the parent is archived', async () => {
  for (const { at, planner, guest, owner } of [group, project]) {
    const post = (who: typeof owner) => who.post(`${at}/labels`, { name: here.name('Label'), color: 'red' });
    assert.equal((await post(guest)).status, 403);
    assert.equal((await post(planner)).status, 201);
    assert.equal((await owner.post(`${at}/archive`)).status < 300, true);
    assert.equal((await post(owner)).status, 403);
    assert.equal((await owner.get(`${at}/labels`)).status, 200);
    assert.equal((await owner.post(`${at}/unarchive`)).status < 300, true);
  }
});
