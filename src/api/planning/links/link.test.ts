import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { listNoteBodies, newIssue } from '../notes/fixtures.testing.ts';

const { project, owner, guest, anonymous, user, newProject } = await world({
  project: { visibility: 'public', with: ['guest'] },
});

type Issue = Awaited<ReturnType<typeof newIssue>>;

/** Body of a POST request for the target issue. */
const linkBody = (target: { readonly iid: number }, link_type?: string, of: Project = project) => ({
  target_project_id: of.id,
  target_issue_iid: target.iid,
  ...(link_type && { link_type }),
});

const listLinks = async (issue: Issue, by = owner): Promise<[string, number][]> =>
  (await by.get(`${issue.at}/links`)).body.map((one: { link_type: string; id: number }) => [one.link_type, one.id]);

const open = async () => newIssue(project);

test('shows a link from both issues, each with its own link type', async () => {
  for (const [input, here, there, source] of [
    ['relates_to', 'relates_to', 'relates_to', 'here'],
    ['blocks', 'blocks', 'is_blocked_by', 'here'],
    ['is_blocked_by', 'is_blocked_by', 'blocks', 'there'],
  ] as const) {
    const [one, other] = [await open(), await open()];
    const { status, body } = await guest.post(`${one.at}/links`, linkBody(other, input));
    assert.equal(status, 201);
    const [from, target] = source === 'here' ? [one, other] : [other, one];
    const stored = input === 'relates_to' ? input : 'blocks';
    assert.deepEqual([body.source_issue.id, body.target_issue.id, body.link_type], [from.id, target.id, stored]);
    assert.deepEqual([await listLinks(one), await listLinks(other)], [[[here, other.id]], [[there, one.id]]]);
    assert.deepEqual((await owner.get(`${other.at}/links/${body.id}`)).body, body);
    const blocks = (await owner.get(from.at)).body.blocking_issues_count;
    assert.equal(blocks, stored === 'blocks' ? 1 : 0);
  }
});

test('a null project means the project of the path', async () => {
  const [one, other] = [await open(), await open()];
  await expectSuccess(owner.post(`${one.at}/links`, { ...linkBody(other), target_project_id: null }));
  assert.deepEqual(await listLinks(other), [['relates_to', one.id]]);
});

test('a closed issue does not count as blocked', async () => {
  const [one, other] = [await open(), await open()];
  await expectSuccess(owner.post(`${one.at}/links`, linkBody(other, 'blocks')));
  await expectSuccess(owner.put(other.at, { state_event: 'close' }));
  const { body } = await owner.get(`${project.at}/issues`, { iids: [one.iid] });
  assert.deepEqual([body[0].id, body[0].blocking_issues_count], [one.id, 0]);
});

test('creating and deleting a link create notes on both issues and no other activity', async () => {
  const low = await newProject({ owner });
  const [one, other, far] = [await open(), await open(), await newIssue(low)];
  await expectSuccess(owner.post(`${one.at}/links`, linkBody(far, undefined, low)));
  const { id } = (await expectSuccess(owner.post(`${one.at}/links`, linkBody(other, 'blocks')))).body;
  await expectSuccess(owner.delete(`${other.at}/links/${id}`));
  const path = async (of: Project) => (await owner.get(of.at)).body.path_with_namespace;
  assert.deepEqual(await listNoteBodies(owner, one, { sort: 'asc' }), [
    `marked this issue as related to ${await path(low)}#${far.iid}`,
    `marked this issue as blocking #${other.iid}`,
    `removed the relation with #${other.iid}`,
  ]);
  assert.deepEqual(await listNoteBodies(owner, other, { sort: 'asc' }), [
    `marked this issue as blocked by #${one.iid}`,
    `removed the relation with #${one.iid}`,
  ]);
  assert.deepEqual(await listNoteBodies(owner, far), [
    `marked this issue as related to ${await path(project)}#${one.iid}`,
  ]);
  // A caller who may not read the private issue sees neither the link nor the note.
  assert.deepEqual([await listLinks(one, guest), (await listNoteBodies(guest, one)).length], [[], 2]);
});

test('two issues have at most one link, in either direction, also with concurrent requests', async () => {
  const [one, other] = [await open(), await open()];
  const answers = await Promise.all([
    owner.post(`${one.at}/links`, linkBody(other)),
    guest.post(`${other.at}/links`, linkBody(one, 'blocks')),
    guest.post(`${one.at}/links`, linkBody(other, 'is_blocked_by')),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  const again = await owner.post(`${other.at}/links`, linkBody(one));
  assert.deepEqual([again.status, again.body], [409, { message: 'Issue(s) already assigned' }]);
  assert.equal((await listLinks(one)).length, 1);
});

test('checks the conditions of a link in order', async () => {
  const [one, hidden] = [await open(), await newIssue(project, { confidential: true })];
  const low = await newProject({ owner, visibility: 'public' });
  const far = await newIssue(low);
  const stranger = await user();
  const secret = await newProject({ owner });
  const NO_RIGHT = "Couldn't link issues. You must have at least the Guest role in both projects.";
  for (const [by, at, params, status, message] of [
    [guest, `${hidden.at}/links`, linkBody(one), 404, '404 Not found'],
    [guest, `${one.at}/links`, linkBody(far, 'blocks', secret), 404, '404 Project Not Found'],
    [guest, `${one.at}/links`, linkBody(hidden), 404, '404 Not found'],
    [guest, `${one.at}/links`, linkBody({ iid: 98_765 }), 404, '404 Not found'],
    [guest, `${one.at}/links`, linkBody(far, 'blocks', low), 403, NO_RIGHT],
    [stranger, `${one.at}/links`, linkBody(one), 403, NO_RIGHT],
    [guest, `${one.at}/links`, linkBody(one), 422, `#${one.iid} cannot be added: cannot be related to itself`],
    [anonymous, `${one.at}/links`, linkBody(one), 401, '401 Unauthorized'],
  ] as const) {
    const answer = await by.post(at, params);
    assert.deepEqual([answer.status, answer.body], [status, { message }]);
  }
  const missing = 'target_project_id is missing, target_issue_iid is missing';
  assert.deepEqual((await guest.post(`${one.at}/links`)).body, { error: missing });
  const odd = await guest.post(`${one.at}/links`, linkBody(far, 'likes', low));
  assert.deepEqual(odd.body, { error: 'link_type does not have a valid value' });
  assert.deepEqual([await listLinks(one), await listNoteBodies(owner, one)], [[], []]);
});

test('deleting a link needs the permission on both issues and returns the link', async () => {
  const low = await newProject({ owner, visibility: 'public' });
  const [one, far, other] = [await open(), await newIssue(low), await open()];
  const link = (await expectSuccess(owner.post(`${one.at}/links`, linkBody(far, 'blocks', low)))).body;
  const at = `${one.at}/links/${link.id}`;
  const refused = await guest.delete(at);
  assert.deepEqual([refused.status, refused.body], [404, { message: 'No Issue Link found' }]);
  for (const call of [owner.get(`${other.at}/links/${link.id}`), owner.delete(`${other.at}/links/${link.id}`)]) {
    assert.deepEqual((await call).body, { message: '404 Not found' });
  }
  const { status, body } = await owner.delete(at);
  assert.deepEqual([status, body.id, body.source_issue.id], [200, link.id, one.id]);
  assert.deepEqual([await listLinks(one), (await owner.delete(at)).status], [[], 404]);
});

test('a link to an unreadable issue answers like the issue itself', async () => {
  const low = await newProject({ owner });
  const [one, far, hidden] = [await open(), await newIssue(low), await newIssue(project, { confidential: true })];
  const [away, near] = [
    (await expectSuccess(owner.post(`${one.at}/links`, linkBody(far, undefined, low)))).body,
    (await expectSuccess(owner.post(`${one.at}/links`, linkBody(hidden)))).body,
  ];
  assert.deepEqual((await guest.get(`${one.at}/links/${away.id}`)).body, { message: '404 Project Not Found' });
  assert.deepEqual((await guest.get(`${one.at}/links/${near.id}`)).body, { message: '404 Not found' });
  assert.deepEqual((await guest.delete(`${one.at}/links/${near.id}`)).body, { message: 'No Issue Link found' });
});

test('links move with an issue and are deleted with either issue', async () => {
  const low = await newProject({ owner });
  const [one, other, third] = [await open(), await open(), await open()];
  const { id } = (await expectSuccess(owner.post(`${one.at}/links`, linkBody(other, 'blocks')))).body;
  await expectSuccess(owner.post(`${third.at}/links`, linkBody(one)));
  const moved = (await expectSuccess(owner.post(`${one.at}/move`, { to_project_id: low.id }))).body;
  assert.deepEqual([await listLinks(one), await listLinks(other)], [[], [['is_blocked_by', moved.id]]]);
  assert.deepEqual(await listLinks(third), [['relates_to', moved.id]]);
  await expectSuccess(owner.delete(`${low.at}/issues/${moved.iid}`));
  assert.deepEqual([await listLinks(other), await listLinks(third)], [[], []]);
  assert.equal((await owner.get(`${other.at}/links/${id}`)).status, 404);
});
