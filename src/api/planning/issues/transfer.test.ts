import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, type Project, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';

// Transferred projects and groups keep labels and milestones, as copies where they belonged to former ancestors.

const { newGroup, newProject, name, user, runJobs } = await world();

const newMilestone = async ({ at, owner }: Group | Project, input = {}): Promise<{ id: number; title: string }> =>
  (await expectSuccess(owner.post(`${at}/milestones`, { title: name('v'), ...input }))).body;

async function newLabel({ at, owner }: Group | Project): Promise<string> {
  return (await expectSuccess(owner.post(`${at}/labels`, { name: name('label'), color: 'red' }))).body.name;
}

/** Returns the labels and milestone of an issuable as the owner sees them. */
const labelsAndMilestoneOf = (project: Project, ...paths: string[]) =>
  Promise.all(
    paths.map(async (at) => {
      const { labels, milestone } = (await project.owner.get(at)).body;
      return [labels, milestone?.title ?? null];
    }),
  );

const findOwn = async ({ at, owner }: Group | Project, what: 'labels' | 'milestones') =>
  (await owner.get(`${at}/${what}?include_ancestor_groups=false`)).body;

test('a transferred project gets its own copies of labels and milestones of former ancestor groups', async () => {
  const top = await newGroup({ owner: await user() });
  const low = await newGroup({ in: top });
  const project = await newProject({ in: low, readme: true });
  const { owner } = project;
  const labels = [await newLabel(project), await newLabel(top), await newLabel(low)].toSorted();
  const [mine, theirs] = [await newMilestone(project), await newMilestone(low)];
  const issueWith = async (milestone_id: number) =>
    `${project.at}/issues/${(await expectSuccess(owner.post(`${project.at}/issues`, { title: 'x', labels, milestone_id }))).body.iid}`;
  const paths = [
    await issueWith(mine.id),
    await issueWith(theirs.id),
    (await newMergeRequest(project, { labels, milestone_id: theirs.id })).at,
  ];
  await expectSuccess(owner.put(`${project.at}/transfer`, { namespace: top.id }));
  await runJobs();
  const titles = [mine, theirs, theirs].map(({ title }) => title);
  assert.deepEqual(
    await labelsAndMilestoneOf(project, ...paths),
    titles.map((title) => [labels, title]),
  );
  assert.deepEqual([(await findOwn(project, 'labels')).length, (await findOwn(project, 'milestones')).length], [2, 2]);
});

test('a copied milestone keeps its content and gets the next iid of the project', async () => {
  const owner = await user();
  const project = await newProject({ in: await newGroup({ owner }) });
  await newMilestone(project);
  const input = { title: 'v9', due_date: '2027-05-01', description: 'All of it' };
  const { id } = (await expectSuccess(owner.post(`/groups/${project.namespace.id}/milestones`, input))).body;
  await expectSuccess(owner.put(`/groups/${project.namespace.id}/milestones/${id}`, { state_event: 'close' }));
  await expectSuccess(owner.post(`/projects/${project.id}/issues`, { title: 'x', milestone_id: id }));
  const { id: elsewhere } = await newGroup({ owner });
  await expectSuccess(owner.put(`/projects/${project.id}/transfer`, { namespace: elsewhere }));
  await runJobs();
  const [made] = (await owner.get(`/projects/${project.id}/milestones?title=v9`)).body;
  const { iid, due_date, description, state } = made;
  assert.deepEqual([iid, due_date, description, state], [2, '2027-05-01', 'All of it', 'closed']);
});

test('a label or milestone with the same title in the new scope replaces it, with its priority', async () => {
  const owner = await user();
  const [from, to] = [await newGroup({ owner }), await newGroup({ owner })];
  const project = await newProject({ in: from });
  const [label, { title, id }] = [name('label'), await newMilestone(from)];
  await expectSuccess(owner.post(`${project.at}/labels`, { name: label, color: 'red', priority: 3 }));
  await expectSuccess(owner.put(`${project.at}/labels/${label}/promote`));
  await expectSuccess(owner.post(`${to.at}/labels`, { name: label, color: 'blue' }));
  const theirs = (await expectSuccess(owner.post(`${to.at}/milestones`, { title }))).body;
  const body = { title: 'x', labels: label, milestone_id: id };
  const { iid } = (await expectSuccess(owner.post(`${project.at}/issues`, body))).body;
  await expectSuccess(owner.put(`/projects/${project.id}/transfer`, { namespace: to.id }));
  await runJobs();
  const issue = (await owner.get(`/projects/${project.id}/issues/${iid}`)).body;
  assert.deepEqual([issue.labels, issue.milestone.id], [[label], theirs.id]);
  const [{ color, priority, is_project_label }, ...more] = (await owner.get(`/projects/${project.id}/labels`)).body;
  assert.deepEqual([color, priority, is_project_label, more.length], ['#0000FF', 3, false, 0]);
});

test('the same holds for descendants and epics of a transferred group', async () => {
  const owner = await user();
  const [top, other] = [await newGroup({ owner }), await newGroup({ owner })];
  const low = await newGroup({ in: top });
  const project = await newProject({ in: low });
  const [above, below] = [await newLabel(top), await newLabel(low)];
  const labels = `${above},${below}`;
  const issue = (await expectSuccess(owner.post(`${project.at}/issues`, { title: 'x', labels }))).body;
  const epic = (await expectSuccess(owner.post(`${low.at}/epics`, { title: 'x', labels }))).body;
  await expectSuccess(owner.post(`/groups/${low.id}/transfer`, { group_id: other.id }));
  await runJobs();
  for (const path of [`/projects/${project.id}/issues/${issue.iid}`, `/groups/${low.id}/epics/${epic.iid}`]) {
    assert.deepEqual((await owner.get(path)).body.labels, [above, below].toSorted());
  }
  const ofLow = (await owner.get(`/groups/${low.id}/labels?include_ancestor_groups=false`)).body;
  assert.equal(ofLow.length, 2);
  assert.deepEqual((await owner.get(`/projects/${project.id}/labels?include_ancestor_groups=false`)).body, []);
});

test('a change of path keeps labels and milestones', async () => {
  const group = await newGroup({ owner: await user() });
  const project = await newProject({ in: group });
  const labels = await newLabel(group);
  const { iid } = (await expectSuccess(group.owner.post(`${project.at}/issues`, { title: 'x', labels }))).body;
  await expectSuccess(group.owner.put(`/projects/${project.id}`, { path: name('moved') }));
  await runJobs();
  assert.deepEqual((await group.owner.get(`/projects/${project.id}/issues/${iid}`)).body.labels, [labels]);
});
