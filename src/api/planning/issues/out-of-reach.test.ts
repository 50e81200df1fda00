import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, type Group, type Project, world } from '../../../../test/world.ts';
import { newMergeRequest } from '../merge-requests/given.testing.ts';

// What hangs elsewhere now keeps of labels and milestones what it can have there.

const { newGroup, newProject, name, user, work } = await world();

const newMilestone = async ({ at, owner }: Group | Project): Promise<{ id: number; title: string }> =>
  (await done(owner.post(`${at}/milestones`, { title: name('v') }))).body;

async function newLabel({ at, owner }: Group | Project): Promise<string> {
  return (await done(owner.post(`${at}/labels`, { name: name('label'), color: 'red' }))).body.name;
}

/** What things bear, as their owner sees it. */
const borne = (project: Project, ...paths: string[]) =>
  Promise.all(
    paths.map(async (at) => {
      const { labels, milestone } = (await project.owner.get(at)).body;
      return [labels, milestone?.title ?? null];
    }),
  );

test('issues and merge requests of a project that is transferred lose what groups handed down to them', async () => {
  const top = await newGroup({ owner: await user() });
  const low = await newGroup({ in: top });
  const project = await newProject({ in: low, readme: true });
  const [own, above, below] = [await newLabel(project), await newLabel(top), await newLabel(low)];
  const [mine, theirs] = [await newMilestone(project), await newMilestone(low)];
  const { owner } = project;
  const labels = [own, above, below].join(',');
  const issueWith = async (milestone_id: number) =>
    `${project.at}/issues/${(await done(owner.post(`${project.at}/issues`, { title: 'x', labels, milestone_id }))).body.iid}`;
  const paths = [
    await issueWith(mine.id),
    await issueWith(theirs.id),
    (await newMergeRequest(project, { labels, milestone_id: theirs.id })).at,
  ];
  await done(owner.put(`${project.at}/transfer`, { namespace: top.id }));
  await work();
  const left = [own, above].toSorted();
  assert.deepEqual(await borne(project, ...paths), [
    [left, mine.title],
    [left, null],
    [left, null],
  ]);
});

test('so do those below a group that is transferred, and its epics', async () => {
  const owner = await user();
  const [top, other] = [await newGroup({ owner }), await newGroup({ owner })];
  const low = await newGroup({ in: top });
  const project = await newProject({ in: low });
  const [above, below] = [await newLabel(top), await newLabel(low)];
  const labels = `${above},${below}`;
  const issue = (await done(owner.post(`${project.at}/issues`, { title: 'x', labels }))).body;
  const epic = (await done(owner.post(`${low.at}/epics`, { title: 'x', labels }))).body;
  await done(owner.post(`/groups/${low.id}/transfer`, { group_id: other.id }));
  await work();
  for (const path of [`/projects/${project.id}/issues/${issue.iid}`, `/groups/${low.id}/epics/${epic.iid}`]) {
    assert.deepEqual((await owner.get(path)).body.labels, [below]);
  }
});

test('a change of path takes nothing away', async () => {
  const group = await newGroup({ owner: await user() });
  const project = await newProject({ in: group });
  const labels = await newLabel(group);
  const { iid } = (await done(group.owner.post(`${project.at}/issues`, { title: 'x', labels }))).body;
  await done(group.owner.put(`/projects/${project.id}`, { path: name('moved') }));
  await work();
  assert.deepEqual((await group.owner.get(`/projects/${project.id}/issues/${iid}`)).body.labels, [labels]);
});
