import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { bodiesOf, newIssue } from './fixtures.testing.ts';

const { user, newProject, newGroup } = await world();

test('an issue that a comment names is told, once for each issue', async () => {
  const { project, owner } = await world({ project: {} });
  const [from, to] = [await newIssue(project), await newIssue(project)];
  const full = `${project.path_with_namespace}#${from.iid}`;
  const { id } = (await owner.post(from.notes, { body: `As #${to.iid}, #${to.iid} and #${from.iid} say, not #999` }))
    .body;
  await owner.put(`${from.notes}/${id}`, { body: `Again #${to.iid}` });
  assert.deepEqual(await bodiesOf(owner, to), [`mentioned in issue ${full}`]);
  const [{ system, author }] = (await owner.get(to.notes)).body;
  assert.deepEqual([system, author.id], [true, owner.id]);
  assert.equal((await owner.get(to.at)).body.user_notes_count, 0);
  assert.deepEqual(await bodiesOf(owner, from), [`Again #${to.iid}`]);
});

test('a text names what stands behind a back-tick of another paragraph, and nothing in code or comments', async () => {
  const { project, owner } = await world({ project: {} });
  const [from, named, kept] = [await newIssue(project), await newIssue(project), await newIssue(project)];
  const code = `\`#${kept.iid}\`\n\n    #${kept.iid}\n\n~~~\n#${kept.iid}\n~~~\n<!-- #${kept.iid} -->`;
  await owner.post(from.notes, { body: `Press \` twice\n\nAs #${named.iid} says: ${code}` });
  assert.equal((await bodiesOf(owner, named)).length, 1);
  assert.deepEqual(await bodiesOf(owner, kept), []);
});

test('issues of other projects are named by path', async () => {
  const group = await newGroup({ owner: await user() });
  const [here, beside] = [await newProject({ in: group }), await newProject({ in: group })];
  const far = await newProject({ owner: group.owner });
  const [from, near, away] = [await newIssue(here), await newIssue(beside), await newIssue(far)];
  const body = `See ${beside.path}#${near.iid} and ${far.path_with_namespace.toUpperCase()}#${away.iid}.`;
  await group.owner.post(from.notes, { body });
  for (const issue of [near, away]) {
    assert.deepEqual(await bodiesOf(group.owner, issue), [
      `mentioned in issue ${here.path_with_namespace}#${from.iid}`,
    ]);
  }
});

test('nobody tells an issue that he can’t read, and an internal comment tells nobody', async () => {
  const [closed, open] = [await newProject({ owner: await user() }), await newProject({ visibility: 'public' })];
  const [hidden, secret] = [await newIssue(closed), await newIssue(open, { confidential: true })];
  const stranger = await user();
  const from = await newIssue(open, {}, stranger);
  await stranger.post(from.notes, { body: `${closed.path_with_namespace}#${hidden.iid} #${secret.iid}` });
  await open.owner.post(from.notes, { body: `#${secret.iid}`, internal: true });
  assert.deepEqual(await bodiesOf(closed.owner, hidden), []);
  assert.deepEqual(await bodiesOf(open.owner, secret), []);
});

test('a mention in an issue that one can’t read is not told', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const closed = await newProject({ owner });
  const [issue, secret, hidden] = [
    await newIssue(project),
    await newIssue(project, { confidential: true }),
    await newIssue(closed),
  ];
  const reference = `${project.path_with_namespace}#${issue.iid}`;
  for (const { notes } of [secret, hidden]) await owner.post(notes, { body: reference });
  assert.equal((await bodiesOf(owner, issue)).length, 2);
  const { body, headers } = await guest.get(issue.notes);
  assert.deepEqual([body, headers['x-total']], [[], '0']);
  const [{ id }] = (await owner.get(issue.notes)).body;
  assert.equal((await guest.get(`${issue.notes}/${id}`)).status, 404);
});

test('who is not told of a mention is not told of it on the issue that was moved either', async () => {
  const { project, owner } = await world({ project: {} });
  const there = await newProject({ owner, visibility: 'public' });
  const [issue, secret] = [await newIssue(project), await newIssue(project, { confidential: true })];
  await owner.post(secret.notes, { body: `#${issue.iid}` });
  const { iid } = (await owner.post(`${issue.at}/move`, { to_project_id: there.id })).body;
  const moved = { notes: `${there.at}/issues/${iid}/notes` };
  const mentions = async (caller: Caller) =>
    (await bodiesOf(caller, moved)).filter((body) => body.startsWith('mentioned in'));
  assert.equal((await mentions(owner)).length, 1);
  assert.deepEqual(await mentions(await user()), []);
});

test('a move is told at either end only to who may read the other, though both name each other', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const closed = await newProject({ owner });
  const issue = await newIssue(project);
  const moved = async (from: { at: string }, to: { id: number; at: string }) => {
    const { iid } = (await owner.post(`${from.at}/move`, { to_project_id: to.id })).body;
    return { at: `${to.at}/issues/${iid}`, notes: `${to.at}/issues/${iid}/notes`, iid };
  };
  const hidden = await moved(issue, closed);
  await owner.post(hidden.notes, { body: `${project.path_with_namespace}#${issue.iid}` });
  const names = `${closed.path_with_namespace}#${hidden.iid}`;
  assert.deepEqual(await bodiesOf(owner, issue), [`mentioned in issue ${names}`, `moved to ${names}`]);
  assert.deepEqual(await bodiesOf(guest, issue), []);
  const back = await moved(hidden, project);
  assert.equal((await bodiesOf(owner, back)).filter((body) => body === `moved from ${names}`).length, 1);
  assert.deepEqual(
    (await bodiesOf(guest, back)).filter((body) => body.includes(names)),
    [],
  );
});
