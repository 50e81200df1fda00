import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, type Project, world } from '#test/support/world.ts';
import { bodiesOf, newIssue } from '../notes/fixtures.testing.ts';

const { project, owner, guest, anonymous, user, newProject } = await world({
  project: { visibility: 'public', with: ['guest'] },
});

type Issue = Awaited<ReturnType<typeof newIssue>>;

/** What a POST says of the issue that it names. */
const to = (target: { readonly iid: number }, link_type?: string, of: Project = project) => ({
  target_project_id: of.id,
  target_issue_iid: target.iid,
  ...(link_type && { link_type }),
});

const linksOf = async (issue: Issue, by = owner): Promise<[string, number][]> =>
  (await by.get(`${issue.at}/links`)).body.map((one: { link_type: string; id: number }) => [one.link_type, one.id]);

const open = async () => newIssue(project);

test('a link is seen from both its ends, each in its own words', async () => {
  for (const [wish, here, there, source] of [
    ['relates_to', 'relates_to', 'relates_to', 'here'],
    ['blocks', 'blocks', 'is_blocked_by', 'here'],
    ['is_blocked_by', 'is_blocked_by', 'blocks', 'there'],
  ] as const) {
    const [one, other] = [await open(), await open()];
    const { status, body } = await guest.post(`${one.at}/links`, to(other, wish));
    assert.equal(status, 201);
    const [from, target] = source === 'here' ? [one, other] : [other, one];
    const stored = wish === 'relates_to' ? wish : 'blocks';
    assert.deepEqual([body.source_issue.id, body.target_issue.id, body.link_type], [from.id, target.id, stored]);
    assert.deepEqual([await linksOf(one), await linksOf(other)], [[[here, other.id]], [[there, one.id]]]);
    assert.deepEqual((await owner.get(`${other.at}/links/${body.id}`)).body, body);
    const blocks = (await owner.get(from.at)).body.blocking_issues_count;
    assert.equal(blocks, stored === 'blocks' ? 1 : 0);
  }
});

test('a project given as null is that of the path', async () => {
  const [one, other] = [await open(), await open()];
  await done(owner.post(`${one.at}/links`, { ...to(other), target_project_id: null }));
  assert.deepEqual(await linksOf(other), [['relates_to', one.id]]);
});

test('who blocks a closed issue blocks none', async () => {
  const [one, other] = [await open(), await open()];
  await done(owner.post(`${one.at}/links`, to(other, 'blocks')));
  await done(owner.put(other.at, { state_event: 'close' }));
  const { body } = await owner.get(`${project.at}/issues`, { iids: [one.iid] });
  assert.deepEqual([body[0].id, body[0].blocking_issues_count], [one.id, 0]);
});

test('both ends are told of a link and of its end, and nothing else is written', async () => {
  const low = await newProject({ owner });
  const [one, other, far] = [await open(), await open(), await newIssue(low)];
  await done(owner.post(`${one.at}/links`, to(far, undefined, low)));
  const { id } = (await done(owner.post(`${one.at}/links`, to(other, 'blocks')))).body;
  await done(owner.delete(`${other.at}/links/${id}`));
  const path = async (of: Project) => (await owner.get(of.at)).body.path_with_namespace;
  assert.deepEqual(await bodiesOf(owner, one, { sort: 'asc' }), [
    `marked this issue as related to ${await path(low)}#${far.iid}`,
    `marked this issue as blocking #${other.iid}`,
    `removed the relation with #${other.iid}`,
  ]);
  assert.deepEqual(await bodiesOf(owner, other, { sort: 'asc' }), [
    `marked this issue as blocked by #${one.iid}`,
    `removed the relation with #${one.iid}`,
  ]);
  assert.deepEqual(await bodiesOf(owner, far), [`marked this issue as related to ${await path(project)}#${one.iid}`]);
  // To who may not read the private one there is neither link nor note.
  assert.deepEqual([await linksOf(one, guest), (await bodiesOf(guest, one)).length], [[], 2]);
});

test('a pair has one link, whichever way round and whoever is first', async () => {
  const [one, other] = [await open(), await open()];
  const answers = await Promise.all([
    owner.post(`${one.at}/links`, to(other)),
    guest.post(`${other.at}/links`, to(one, 'blocks')),
    guest.post(`${one.at}/links`, to(other, 'is_blocked_by')),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  const again = await owner.post(`${other.at}/links`, to(one));
  assert.deepEqual([again.status, again.body], [409, { message: 'Issue(s) already assigned' }]);
  assert.equal((await linksOf(one)).length, 1);
});

test('what keeps two issues apart is said in its order', async () => {
  const [one, hidden] = [await open(), await newIssue(project, { confidential: true })];
  const low = await newProject({ owner, visibility: 'public' });
  const far = await newIssue(low);
  const stranger = await user();
  const secret = await newProject({ owner });
  const NO_RIGHT = "Couldn't link issues. You must have at least the Guest role in both projects.";
  for (const [by, at, params, status, message] of [
    [guest, `${hidden.at}/links`, to(one), 404, '404 Not found'],
    [guest, `${one.at}/links`, to(far, 'blocks', secret), 404, '404 Project Not Found'],
    [guest, `${one.at}/links`, to(hidden), 404, '404 Not found'],
    [guest, `${one.at}/links`, to({ iid: 98_765 }), 404, '404 Not found'],
    [guest, `${one.at}/links`, to(far, 'blocks', low), 403, NO_RIGHT],
    [stranger, `${one.at}/links`, to(one), 403, NO_RIGHT],
    [guest, `${one.at}/links`, to(one), 422, `#${one.iid} cannot be added: cannot be related to itself`],
    [anonymous, `${one.at}/links`, to(one), 401, '401 Unauthorized'],
  ] as const) {
    const answer = await by.post(at, params);
    assert.deepEqual([answer.status, answer.body], [status, { message }]);
  }
  const missing = 'target_project_id is missing, target_issue_iid is missing';
  assert.deepEqual((await guest.post(`${one.at}/links`)).body, { error: missing });
  const odd = await guest.post(`${one.at}/links`, to(far, 'likes', low));
  assert.deepEqual(odd.body, { error: 'link_type does not have a valid value' });
  assert.deepEqual([await linksOf(one), await bodiesOf(owner, one)], [[], []]);
});

test('a link ends for who has the right on both sides, and is told of once more', async () => {
  const low = await newProject({ owner, visibility: 'public' });
  const [one, far, other] = [await open(), await newIssue(low), await open()];
  const link = (await done(owner.post(`${one.at}/links`, to(far, 'blocks', low)))).body;
  const at = `${one.at}/links/${link.id}`;
  const refused = await guest.delete(at);
  assert.deepEqual([refused.status, refused.body], [404, { message: 'No Issue Link found' }]);
  for (const call of [owner.get(`${other.at}/links/${link.id}`), owner.delete(`${other.at}/links/${link.id}`)]) {
    assert.deepEqual((await call).body, { message: '404 Not found' });
  }
  const { status, body } = await owner.delete(at);
  assert.deepEqual([status, body.id, body.source_issue.id], [200, link.id, one.id]);
  assert.deepEqual([await linksOf(one), (await owner.delete(at)).status], [[], 404]);
});

test('of a link to what a caller can’t read he learns what he learns of that', async () => {
  const low = await newProject({ owner });
  const [one, far, hidden] = [await open(), await newIssue(low), await newIssue(project, { confidential: true })];
  const [away, near] = [
    (await done(owner.post(`${one.at}/links`, to(far, undefined, low)))).body,
    (await done(owner.post(`${one.at}/links`, to(hidden)))).body,
  ];
  assert.deepEqual((await guest.get(`${one.at}/links/${away.id}`)).body, { message: '404 Project Not Found' });
  assert.deepEqual((await guest.get(`${one.at}/links/${near.id}`)).body, { message: '404 Not found' });
  assert.deepEqual((await guest.delete(`${one.at}/links/${near.id}`)).body, { message: 'No Issue Link found' });
});

test('links follow an issue that moves, and die with either', async () => {
  const low = await newProject({ owner });
  const [one, other, third] = [await open(), await open(), await open()];
  const { id } = (await done(owner.post(`${one.at}/links`, to(other, 'blocks')))).body;
  await done(owner.post(`${third.at}/links`, to(one)));
  const moved = (await done(owner.post(`${one.at}/move`, { to_project_id: low.id }))).body;
  assert.deepEqual([await linksOf(one), await linksOf(other)], [[], [['is_blocked_by', moved.id]]]);
  assert.deepEqual(await linksOf(third), [['relates_to', moved.id]]);
  await done(owner.delete(`${low.at}/issues/${moved.iid}`));
  assert.deepEqual([await linksOf(other), await linksOf(third)], [[], []]);
  assert.equal((await owner.get(`${other.at}/links/${id}`)).status, 404);
});
