import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

const here = await world();
const group = await here.newGroup({ with: ['planner', 'guest'] });
const subgroup = await here.newGroup({ in: group });
const project = await here.newProject({ in: subgroup, with: ['planner', 'guest'] });

const TAKEN = 'Failed to create milestone {:title=>["already being used for another group or project milestone."]}';

test('returns all fields of a new milestone of a project or group', async () => {
  const dates = { start_date: '2026-02-01', due_date: '2026-2-14T10:00:00Z' };
  const { status, body } = await project.owner.post(`${project.at}/milestones`, { title: ' v1 ', ...dates });
  assert.equal(status, 201);
  const { id, created_at, updated_at, ...rest } = body;
  assert.equal(created_at, updated_at);
  const shown = { iid: 1, title: 'v1', description: null, state: 'active', expired: false };
  assert.deepEqual(rest, {
    ...shown,
    project_id: project.id,
    start_date: '2026-02-01',
    due_date: '2026-02-14',
    web_url: `${project.web_url}/-/milestones/1`,
  });
  const ofGroup = (await group.owner.post(`${group.at}/milestones`, { title: 'g1', description: '' })).body;
  assert.deepEqual(
    { ...ofGroup, id: 0, created_at, updated_at },
    {
      ...shown,
      id: 0,
      title: 'g1',
      description: '',
      group_id: group.id,
      start_date: null,
      due_date: null,
      created_at,
      updated_at,
      web_url: `${group.web_url}/-/milestones/1`,
    },
  );
  assert.deepEqual((await project.owner.get(`${project.at}/milestones/${id}`)).body, body);
});

for (const [input, params, text] of [
  ['a blank title', { title: '  ' }, `{:title=>["can't be blank"]}`],
  ['a title of 256 characters', { title: 'é'.repeat(256) }, '{:title=>["is too long (maximum is 255 characters)"]}'],
  [
    'a due date that equals the start date',
    { start_date: '2026-02-01', due_date: '2026-02-01' },
    '{:due_date=>["must be greater than start date"]}',
  ],
  [
    'two errors',
    { title: '', start_date: '2026-02-02', due_date: '2026-02-01' },
    `{:title=>["can't be blank"], :due_date=>["must be greater than start date"]}`,
  ],
] as const) {
  test(`rejects a milestone with ${input}`, async () => {
    for (const { at, owner } of [project, group]) {
      const before = (await owner.get(`${at}/milestones`)).body.length;
      const { status, body } = await owner.post(`${at}/milestones`, { title: here.name('v'), ...params });
      assert.deepEqual([status, body], [400, { message: `Failed to create milestone ${text}` }]);
      assert.equal((await owner.get(`${at}/milestones`)).body.length, before);
    }
  });
}

test('limits descriptions to 1 MiB and requires a title', async () => {
  const { owner, at } = project;
  const long = await owner.post(`${at}/milestones`, { title: 'long', description: 'x'.repeat(1.5 * 1024 * 1024) });
  assert.deepEqual(long.body, { message: { description: ['is too long (1.5 MB). The maximum size is 1 MB.'] } });
  assert.deepEqual((await owner.post(`${at}/milestones`)).body, { error: 'title is missing' });
});

test('rejects a title of a milestone in the parent, its ancestors or its descendants', async () => {
  const create = (at: string, title: string) => group.owner.post(`${at}/milestones`, { title });
  const [top, middle, bottom] = [here.name('top'), here.name('middle'), here.name('bottom')];
  for (const [at, title] of [
    [group.at, top],
    [subgroup.at, middle],
    [project.at, bottom],
  ] as const) {
    assert.equal((await create(at, title)).status, 201);
  }
  for (const title of [top, middle, bottom]) {
    for (const { at } of [group, subgroup, project]) {
      const { status, body } = await create(at, title);
      assert.deepEqual([status, body], [400, { message: TAKEN }], `${at} ${title}`);
    }
  }
  const sibling = await here.newProject({ in: subgroup });
  assert.equal((await create(sibling.at, bottom)).status, 201);
  assert.equal((await create(sibling.at, top.toUpperCase())).status, 201);
});

test('assigns gapless iids to twenty concurrent milestones and never reuses one', async () => {
  const { at, owner } = await here.newProject();
  const post = () => owner.post(`${at}/milestones`, { title: here.name('v') });
  const all = await Promise.all(Array.from({ length: 20 }, post));
  const iids = all.map(({ body }) => body.iid as number).sort((a, b) => a - b);
  assert.deepEqual(
    iids,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  const last = all.find(({ body }) => body.iid === 20)!.body;
  assert.equal((await owner.delete(`${at}/milestones/${last.id}`)).status, 204);
  assert.equal((await post()).body.iid, 21);
});

test('lets one of a project and its group win on concurrent requests with one title', async () => {
  const title = here.name('race');
  const all = await Promise.all(
    [group, project, subgroup].map(({ at }) => group.owner.post(`${at}/milestones`, { title })),
  );
  assert.deepEqual(all.map(({ status }) => status).sort(), [201, 400, 400]);
});

test('lets Planners manage milestones, and nobody while the parent is archived', async () => {
  for (const { at, planner, guest, owner } of [group, project]) {
    const post = (who: typeof owner) => who.post(`${at}/milestones`, { title: here.name('v') });
    assert.equal((await post(guest)).status, 403);
    assert.equal((await post(planner)).status, 201);
    await owner.post(`${at}/archive`);
    assert.equal((await post(owner)).status, 403);
    assert.equal((await owner.get(`${at}/milestones`)).status, 200);
    await owner.post(`${at}/unarchive`);
  }
});
