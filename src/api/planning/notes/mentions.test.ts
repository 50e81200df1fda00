import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';
import { listNoteBodies, newIssue } from './fixtures.testing.ts';

const { user, newProject, newGroup } = await world();

test('creates one cross-reference per mentioned issue', async () => {
  const { project, owner } = await world({ project: {} });
  const [from, to] = [await newIssue(project), await newIssue(project)];
  const full = `${project.path_with_namespace}#${from.iid}`;
  const { id } = (await owner.post(from.notes, { body: `As #${to.iid}, #${to.iid} and #${from.iid} say, not #999` }))
    .body;
  await owner.put(`${from.notes}/${id}`, { body: `Again #${to.iid}` });
  assert.deepEqual(await listNoteBodies(owner, to), [`mentioned in issue ${full}`]);
  const [{ system, author }] = (await owner.get(to.notes)).body;
  assert.deepEqual([system, author.id], [true, owner.id]);
  assert.equal((await owner.get(to.at)).body.user_notes_count, 0);
  assert.deepEqual(await listNoteBodies(owner, from), [`Again #${to.iid}`]);
});

test('ignores mentions in code and HTML comments, and closes back-ticks at the end of a paragraph', async () => {
  const { project, owner } = await world({ project: {} });
  const [from, named, kept] = [await newIssue(project), await newIssue(project), await newIssue(project)];
  const code = `\`#${kept.iid}\`\n\n    #${kept.iid}\n\n~~~\n#${kept.iid}\n~~~\n<!-- #${kept.iid} -->`;
  await owner.post(from.notes, { body: `Press \` twice\n\nAs #${named.iid} says: ${code}` });
  assert.equal((await listNoteBodies(owner, named)).length, 1);
  assert.deepEqual(await listNoteBodies(owner, kept), []);
});

test('accepts mentions of issues in other projects by path', async () => {
  const group = await newGroup({ owner: await user() });
  const [here, beside] = [await newProject({ in: group }), await newProject({ in: group })];
  const far = await newProject({ owner: group.owner });
  const [from, near, away] = [await newIssue(here), await newIssue(beside), await newIssue(far)];
  const body = `See ${beside.path}#${near.iid} and ${far.path_with_namespace.toUpperCase()}#${away.iid}.`;
  await group.owner.post(from.notes, { body });
  for (const issue of [near, away]) {
    assert.deepEqual(await listNoteBodies(group.owner, issue), [
      `mentioned in issue ${here.path_with_namespace}#${from.iid}`,
    ]);
  }
});

test('creates no cross-reference to unreadable issues or from internal comments', async () => {
  const [closed, open] = [await newProject({ owner: await user() }), await newProject({ visibility: 'public' })];
  const [hidden, secret] = [await newIssue(closed), await newIssue(open, { confidential: true })];
  const stranger = await user();
  const from = await newIssue(open, {}, stranger);
  await stranger.post(from.notes, { body: `${closed.path_with_namespace}#${hidden.iid} #${secret.iid}` });
  await open.owner.post(from.notes, { body: `#${secret.iid}`, internal: true });
  assert.deepEqual(await listNoteBodies(closed.owner, hidden), []);
  assert.deepEqual(await listNoteBodies(open.owner, secret), []);
});

test('hides a mention in an issue that the caller cannot read', async () => {
  const { project, owner, guest } = await world({ project: { visibility: 'public', with: ['guest'] } });
  const closed = await newProject({ owner });
  const [issue, secret, hidden] = [
    await newIssue(project),
    await newIssue(project, { confidential: true }),
    await newIssue(closed),
  ];
  const reference = `${project.path_with_namespace}#${issue.iid}`;
  for (const { notes } of [secret, hidden]) await owner.post(notes, { body: reference });
  assert.equal((await listNoteBodies(owner, issue)).length, 2);
  const { body, headers } = await guest.get(issue.notes);
  assert.deepEqual([body, headers['x-total']], [[], '0']);
  const [{ id }] = (await owner.get(issue.notes)).body;
  assert.equal((await guest.get(`${issue.notes}/${id}`)).status, 404);
});

test('hides the mention on a moved issue too', async () => {
  const { project, owner } = await world({ project: {} });
  const there = await newProject({ owner, visibility: 'public' });
  const [issue, secret] = [await newIssue(project), await newIssue(project, { confidential: true })];
  await owner.post(secret.notes, { body: `#${issue.iid}` });
  const { iid } = (await owner.post(`${issue.at}/move`, { to_project_id: there.id })).body;
  const moved = { notes: `${there.at}/issues/${iid}/notes` };
  const mentions = async (caller: Caller) =>
    (await listNoteBodies(caller, moved)).filter((body) => body.startsWith('mentioned in'));
  assert.equal((await mentions(owner)).length, 1);
  assert.deepEqual(await mentions(await user()), []);
});

test('shows a move only to callers who may read both issues', async () => {
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
  assert.deepEqual(await listNoteBodies(owner, issue), [`mentioned in issue ${names}`, `moved to ${names}`]);
  assert.deepEqual(await listNoteBodies(guest, issue), []);
  const back = await moved(hidden, project);
  assert.equal((await listNoteBodies(owner, back)).filter((body) => body === `moved from ${names}`).length, 1);
  assert.deepEqual(
    (await listNoteBodies(guest, back)).filter((body) => body.includes(names)),
    [],
  );
});
