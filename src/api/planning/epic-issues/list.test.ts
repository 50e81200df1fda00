import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newEpic, newIssue } from './fixtures.testing.ts';

const { group, owner, guest, user, newProject } = await world({ group: { visibility: 'public', with: ['guest'] } });
const project = await newProject({ in: group, visibility: 'public' });

/** Creates an epic and its issues, in the order of creation: each new issue is placed first. */
async function createEpicWithIssues(count: number, params = {}) {
  const epic = await newEpic(group);
  const links: { id: number; issue: { id: number; iid: number } }[] = [];
  for (let index = 0; index < count; index++) {
    const issue = await newIssue(project, params);
    links.push((await expectSuccess(owner.post(`${epic.issues}/${issue.id}`))).body);
  }
  const order = async () =>
    (await owner.get(epic.issues)).body.map((row: { epic_issue_id: number }) => row.epic_issue_id);
  return { epic, links, ids: links.map(({ id }) => id), order };
}

test('lists the issues of an epic in manual order, newest first, with pagination totals', async () => {
  const { epic, ids } = await createEpicWithIssues(3);
  const { body, headers } = await owner.get(`${epic.issues}?per_page=2`);
  assert.deepEqual(
    body.map((row: { epic_issue_id: number }) => row.epic_issue_id),
    [ids[2], ids[1]],
  );
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['3', '2']);
  const [{ epic_issue_id, relative_position, ...issue }] = body;
  assert.equal(Number.isInteger(relative_position), true);
  const { subscribed, ...alone } = (await owner.get(`${project.at}/issues/${issue.iid}`)).body;
  const relative = `${project.path}#${issue.iid}`;
  assert.deepEqual(issue, { ...alone, references: { ...alone.references, relative } });
});

test('issues that the caller may not read are neither listed nor counted', async () => {
  const { epic } = await createEpicWithIssues(1);
  const hidden = await newIssue(project, { confidential: true });
  await expectSuccess(owner.post(`${epic.issues}/${hidden.id}`));
  for (const [by, count] of [
    [owner, '2'],
    [guest, '1'],
    [await user(), '1'],
  ] as const) {
    const { body, headers } = await by.get(epic.issues);
    assert.deepEqual([body.length, headers['x-total']], [Number(count), count]);
  }
});

test('move_before_id moves an issue after another one, move_after_id before it', async () => {
  const { epic, ids, order } = await createEpicWithIssues(3);
  const [last, middle, first] = ids;
  const moved = await owner.put(`${epic.issues}/${first}`, { move_before_id: middle });
  assert.equal(moved.status, 200);
  assert.deepEqual(
    moved.body.map((row: { epic_issue_id: number }) => row.epic_issue_id),
    [middle, first, last],
  );
  assert.equal(typeof moved.body[0].subscribed, 'boolean');
  await expectSuccess(owner.put(`${epic.issues}/${last}`, { move_after_id: String(middle) }));
  assert.deepEqual(await order(), [last, middle, first]);
  await expectSuccess(owner.put(`${epic.issues}/${last}`, { move_before_id: String(first), move_after_id: middle }));
  assert.deepEqual(await order(), [middle, first, last]);
  await expectSuccess(owner.put(`${epic.issues}/${last}`));
  assert.deepEqual(await order(), [middle, first, last]);
});

test('a neighbour outside the epic leaves the order unchanged', async () => {
  const { epic, ids, order } = await createEpicWithIssues(2);
  const other = await createEpicWithIssues(1);
  const before = await order();
  for (const neighbour of [other.ids[0], 987_654, ids[0]]) {
    for (const name of ['move_before_id', 'move_after_id']) {
      const refused = await owner.put(`${epic.issues}/${ids[0]}`, { [name]: neighbour });
      assert.deepEqual([refused.status, refused.body], [400, { message: { error: 'Issue could not be moved!' } }]);
    }
  }
  for (const wrong of [other.ids[0], 987_654]) {
    const missing = await owner.put(`${epic.issues}/${wrong}`, { move_before_id: ids[0] });
    assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
  }
  assert.deepEqual(await order(), before);
});

test('rejects a neighbour that the caller may not read', async () => {
  const { epic, ids, order } = await createEpicWithIssues(1);
  const hidden = await newProject({ owner, visibility: 'private' });
  const added = await expectSuccess(owner.post(`${epic.issues}/${(await newIssue(hidden)).id}`));
  const before = await order();
  for (const name of ['move_before_id', 'move_after_id']) {
    const refused = await guest.put(`${epic.issues}/${ids[0]}`, { [name]: added.body.id });
    assert.deepEqual([refused.status, refused.body], [400, { message: { error: 'Issue could not be moved!' } }]);
  }
  assert.deepEqual(await order(), before);
  await expectSuccess(owner.put(`${epic.issues}/${ids[0]}`, { move_after_id: added.body.id }));
});

test('any number of issues can be moved between two neighbours', async () => {
  const { epic, ids, order } = await createEpicWithIssues(3);
  let [behind, one, other] = [ids[2], ids[1], ids[0]];
  for (let times = 0; times < 30; times++) {
    await expectSuccess(owner.put(`${epic.issues}/${other}`, { move_before_id: behind }));
    [one, other] = [other, one];
  }
  assert.deepEqual(await order(), [behind, one, other]);
});

test('only members who can read the issue reorder or remove it', async () => {
  const { epic, ids } = await createEpicWithIssues(1);
  const hidden = await newIssue(project, { confidential: true });
  const { body } = await expectSuccess(owner.post(`${epic.issues}/${hidden.id}`));
  const stranger = await user();
  assert.equal((await stranger.put(`${epic.issues}/${ids[0]}`)).status, 403);
  assert.equal((await guest.put(`${epic.issues}/${body.id}`)).status, 403);
  assert.equal((await guest.put(`${epic.issues}/${ids[0]}`, { move_after_id: body.id })).status, 400);
  const refused = await stranger.delete(`${epic.issues}/${ids[0]}`);
  assert.deepEqual([refused.status, refused.body], [404, { message: 'No Issue Link found' }]);
  assert.equal((await guest.delete(`${epic.issues}/${body.id}`)).status, 403);
});

test('removing an issue returns the association, keeps epic and issue, and creates notes on both', async () => {
  const { epic, links } = await createEpicWithIssues(1);
  const [link] = links as [(typeof links)[0]];
  const other = await createEpicWithIssues(1);
  assert.equal((await owner.delete(`${epic.issues}/${other.ids[0]}`)).status, 404);
  const removed = await owner.delete(`${epic.issues}/${link.id}`);
  assert.deepEqual([removed.status, removed.body], [200, link]);
  assert.equal((await owner.delete(`${epic.issues}/${link.id}`)).status, 404);
  assert.equal((await owner.get(epic.at)).status, 200);
  const issue = `${project.at}/issues/${link.issue.iid}`;
  assert.deepEqual([(await owner.get(issue)).body.epic_iid, (await owner.get(issue)).body.epic], [null, null]);
  const bodies = async (at: string) =>
    (await owner.get(`${at}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body);
  const [ofIssue, ofEpic] = [`${project.path_with_namespace}#${link.issue.iid}`, `${group.full_path}&${epic.iid}`];
  assert.deepEqual(await bodies(issue), [`added ${ofEpic} as parent epic`, `removed parent epic ${ofEpic}`]);
  assert.deepEqual(await bodies(`${group.at}/epics/${epic.id}`), [
    `added ${ofIssue} as child issue`,
    `removed child issue ${ofIssue}`,
  ]);
});
