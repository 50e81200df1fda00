import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#test/support/caller.ts';
import { renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// The planning pages of the web application, rendered without a browser for callers with different roles.

const scene = await world({ project: { visibility: 'public', with: ['guest', 'planner', 'developer'] } });
const { project, owner, developer, planner, guest, root, user } = scene;
const stranger = await user();
const AT = `/${project.path_with_namespace}/-`;

const render = (caller: Caller | null, address: string) => renderPage(scene, caller, address);

/** Returns the text of HTML without its tags. */
const toText = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

const create = async (path: string, params: object, by = owner) =>
  (await expectSuccess(by.post(`${project.at}/${path}`, { ...params }))).body;

await create('labels', { name: 'fault', color: '#00ff00' });
const milestone = await create('milestones', { title: 'Winter' });
const open = await create('issues', {
  title: 'The grate rattles',
  description: 'At night.',
  labels: 'fault',
  milestone_id: milestone.id,
  assignee_ids: [developer.id],
});
const secret = await create('issues', { title: 'The key is under the mat', confidential: true });
const closed = await create('issues', { title: 'The door is loose' });
await expectSuccess(owner.put(`${project.at}/issues/${closed.iid}`, { state_event: 'close' }));

/** Returns the titles of the issues that a list shows. */
const listTitles = async (caller: Caller | null, search = ''): Promise<readonly string[]> => {
  const html = await render(caller, `${AT}/issues${search}`);
  return [...html.matchAll(/class="row-title" href="[^"]*">([^<]*)</g)].map(([, title = '']) => title);
};

test('the list has the open issues that the caller may read', async () => {
  for (const caller of [root, owner, planner, developer])
    assert.deepEqual(await listTitles(caller), ['The key is under the mat', 'The grate rattles']);
  for (const caller of [guest, stranger, null]) assert.deepEqual(await listTitles(caller), ['The grate rattles']);
});

test('a confidential issue looks like a missing one to those who may not read it', async () => {
  const hideId = (html: string) => html.replace(/<code>[\w-]{36}<\/code>/, '').replaceAll(`/issues/${secret.iid}`, '');
  const missing = secret.iid + 1000;
  for (const caller of [guest, stranger, null])
    assert.equal(
      hideId(await render(caller, `${AT}/issues/${secret.iid}`)),
      hideId(await render(caller, `${AT}/issues/${missing}`)).replaceAll(`/issues/${missing}`, ''),
    );
  assert.match(toText(await render(planner, `${AT}/issues/${secret.iid}`)), /confidential/);
});

test('the parameters of the address filter and order the list', async () => {
  const cases: [search: string, titles: string[]][] = [
    ['?state=closed', ['The door is loose']],
    ['?state=all&order_by=title&sort=asc', ['The door is loose', 'The grate rattles', 'The key is under the mat']],
    ['?search=rattles', ['The grate rattles']],
    ['?labels=fault', ['The grate rattles']],
    ['?labels=None', ['The key is under the mat']],
    ['?milestone=Winter', ['The grate rattles']],
    [`?assignee_username=${developer.username}`, ['The grate rattles']],
    [`?author_username=${developer.username}`, []],
    ['?state=unknown&order_by=unknown', ['The key is under the mat', 'The grate rattles']],
  ];
  for (const [search, titles] of cases) assert.deepEqual(await listTitles(owner, search), titles, search);
});

test('the list counts the issues of each state', async () => {
  assert.match(toText(await render(owner, `${AT}/issues`)), /open \(2\) closed \(1\) all \(3\)/);
  assert.match(toText(await render(null, `${AT}/issues`)), /open \(1\) closed \(1\) all \(2\)/);
});

test('an issue shows its attributes and the colours of its labels', async () => {
  const html = await render(null, `${AT}/issues/${open.iid}`);
  assert.match(toText(html), /The grate rattles open .*At night\..*Assignees.*Labels fault .*Milestone Winter/);
  assert.match(html, /style="background:#00FF00;color:#000000[^"]*"[^>]*>fault</i);
});

test('each caller is offered what they may do', async () => {
  const buttons = async (caller: Caller | null) => {
    const html = await render(caller, `${AT}/issues/${open.iid}`);
    return ['Close issue', 'Edit details', 'Comment', 'Delete the issue'].filter((label) =>
      html.includes(`>${label}<`),
    );
  };
  assert.deepEqual(await buttons(owner), ['Close issue', 'Edit details', 'Comment', 'Delete the issue']);
  assert.deepEqual(await buttons(developer), ['Close issue', 'Edit details', 'Comment']);
  assert.deepEqual(await buttons(stranger), ['Comment']);
  assert.deepEqual(await buttons(null), []);
});

test('authors and assignees who are no planners edit the text of an issue, but not its details', async () => {
  const own = await create('issues', { title: 'The chimney smokes' }, guest);
  const html = await render(guest, `${AT}/issues/${own.iid}`);
  assert.match(html, />Edit</);
  assert.doesNotMatch(html, /Edit details/);
});

test('the timeline has comments, system notes and events in the order of time', async () => {
  const issue = await create('issues', { title: 'The ash is wet' });
  const at = `issues/${issue.iid}`;
  await create(`${at}/notes`, { body: 'The first comment' });
  scene.clock.advance(60);
  await expectSuccess(owner.put(`${project.at}/${at}`, { labels: 'fault', weight: 2, title: 'The ash is dry' }));
  await expectSuccess(owner.put(`${project.at}/${at}`, { state_event: 'close' }));
  scene.clock.advance(60);
  await create(`${at}/notes`, { body: 'The last comment', internal: true });
  const text = toText(await render(owner, `${AT}/${at}`));
  assert.match(text, /The first comment.*closed .*added fault.*The last comment/);
  assert.match(text, /changed title from/);
  assert.match(text, /set the weight to 2/);
  assert.doesNotMatch(await render(stranger, `${AT}/${at}`), /The last comment/);
});

test('a long timeline has pages, each with the events of its time', async () => {
  const issue = await create('issues', { title: 'The fire talks' });
  const at = `issues/${issue.iid}`;
  for (let number = 1; number <= 101; number++) {
    scene.clock.advance(1);
    if (number % 50 === 1) await expectSuccess(owner.put(`${project.at}/${at}`, { weight: number }));
    scene.clock.advance(1);
    await create(`${at}/notes`, { body: `Comment ${number}.` });
  }
  const [first, second] = await Promise.all(
    ['', '?page=2'].map(async (search) => toText(await render(owner, `${AT}/${at}${search}`))),
  );
  assert.match(first!, /Comment 50\..*set the weight to 51 .*Comment 51\..*Comment 100\..*Next/);
  assert.doesNotMatch(first!, /Comment 101|weight to 101/);
  assert.match(second!, /Previous.*set the weight to 101 .*Comment 101\./);
  assert.doesNotMatch(second!, /Comment 100|weight to 51/);
});

test('a resolved thread is folded, and its author may reopen it', async () => {
  const issue = await create('issues', { title: 'The lid is hot' });
  const at = `issues/${issue.iid}/discussions`;
  const thread = await create(at, { body: 'How hot?' }, guest);
  await expectSuccess(owner.put(`${project.at}/${at}/${thread.id}`, { resolved: true }));
  const address = `${AT}/issues/${issue.iid}`;
  assert.match(await render(stranger, address), /<details class="thread"><summary>Resolved thread/);
  assert.match(await render(guest, address), />Reopen</);
  assert.doesNotMatch(await render(stranger, address), />Reopen</);
});

test('visitors are asked to sign in to see the comments of a public issue', async () => {
  assert.match(toText(await render(null, `${AT}/issues/${open.iid}`)), /Sign in to see the comments/);
});

test('a group lists the issues of its projects', async () => {
  const group = await scene.newGroup({ visibility: 'private' });
  const inGroup = await scene.newProject({ in: group, visibility: 'private' });
  await expectSuccess(group.owner.post(`${inGroup.at}/issues`, { title: 'The pipe leaks' }));
  const address = `/groups/${group.full_path}/-/issues`;
  assert.match(toText(await render(group.owner, address)), /The pipe leaks/);
  assert.match(toText(await render(group.owner, `${address}?search=nothing`)), /No issues/);
  assert.doesNotMatch(await render(stranger, address), /The pipe leaks/);
});

test('planners change labels and milestones, guests only see them', async () => {
  for (const page of ['labels', 'milestones']) {
    const newLabel = new RegExp(`>New ${page.slice(0, -1)}<`);
    for (const caller of [root, owner, developer, planner])
      assert.match(await render(caller, `${AT}/${page}`), newLabel);
    for (const caller of [guest, stranger]) assert.doesNotMatch(await render(caller, `${AT}/${page}`), newLabel);
  }
  assert.match(toText(await render(guest, `${AT}/labels`)), /fault .*1 open issue,/);
  assert.match(toText(await render(guest, `${AT}/milestones`)), /Winter/);
  assert.match(toText(await render(guest, `${AT}/milestones?search=nothing`)), /No milestones/);
});

test('a milestone shows its issues by state, and those that the caller may read', async () => {
  const plan = await create('milestones', { title: 'Autumn', start_date: '2026-09-01', due_date: '2026-12-01' });
  const toDo = { milestone_id: plan.id, weight: 2 };
  await create('issues', { title: 'Sweep the chimney', ...toDo });
  await create('issues', { title: 'Hide the wood', confidential: true, ...toDo });
  const { iid } = await create('issues', { title: 'Order wood', ...toDo });
  await expectSuccess(owner.put(`${project.at}/issues/${iid}`, { state_event: 'close' }));
  const address = `${AT}/milestones/${plan.iid}`;
  assert.match(
    toText(await render(owner, address)),
    /Autumn.*1 of 3 issues closed, weight 2 of 6.*Open issues 2 .*Closed issues 1 Order wood/,
  );
  assert.match(toText(await render(guest, address)), /1 of 2 issues closed/);
  assert.match(toText(await render(guest, `${AT}/milestones/99`)), /does not exist/);
});

test('the labels and milestones of a group are those of its projects too', async () => {
  const group = await scene.newGroup({ visibility: 'private' });
  const inGroup = await scene.newProject({ in: group, visibility: 'private' });
  await expectSuccess(group.owner.post(`${group.at}/labels`, { name: 'urgent', color: '#ff0000' }));
  await expectSuccess(group.owner.post(`${group.at}/milestones`, { title: 'Spring' }));
  const show = async (page: string) => toText(await render(group.owner, page));
  for (const at of [`/groups/${group.full_path}/-`, `/${inGroup.path_with_namespace}/-`]) {
    assert.match(await show(`${at}/labels`), /urgent/);
    assert.match(await show(`${at}/milestones`), /Spring/);
  }
  assert.match(await show(`/groups/${group.full_path}/-/milestones/1`), /Spring .*No issues yet/);
});

test('an epic shows its issues, its children and its comments, and an iteration its issues', async () => {
  const group = await scene.newGroup({ visibility: 'public' });
  const inGroup = await scene.newProject({ in: group, visibility: 'public' });
  const add = async (path: string, params: object) => (await expectSuccess(group.owner.post(path, { ...params }))).body;
  const epic = await add(`${group.at}/epics`, { title: 'Warm rooms', description: 'All of them' });
  await add(`${group.at}/epics`, { title: 'A warm kitchen', parent_id: epic.id });
  const iteration = await add(`${group.at}/iterations`, { start_date: '2099-01-01', due_date: '2099-01-14' });
  const issue = await add(`${inGroup.at}/issues`, { title: 'Build a stove', iteration_id: iteration.id });
  await add(`${group.at}/epics/${epic.iid}/issues/${issue.id}`, {});
  await add(`${group.at}/epics/${epic.id}/notes`, { body: 'Which rooms?' });
  const at = `/groups/${group.full_path}/-`;
  const show = async (caller: Caller | null, page: string) => toText(await render(caller, `${at}/${page}`));
  for (const caller of [group.owner, stranger]) {
    const text = await show(caller, `epics/${epic.iid}`);
    assert.match(text, /Warm rooms open .*All of them.*0 of 1 issue closed.*Build a stove.*Child epics A warm kitchen/);
    assert.match(text, /Which rooms\?/);
    assert.equal(text.includes('Close epic'), caller === group.owner);
  }
  assert.match(await show(null, `epics/${epic.iid}`), /Warm rooms .*Sign in to see the comments/);
  assert.match(await show(stranger, 'epics'), /A warm kitchen .*Warm rooms/);
  assert.match(await show(stranger, 'epics?search=nothing'), /No epics/);
  assert.match(await show(stranger, 'iterations'), /2099-01-01 to 2099-01-14 upcoming/);
  assert.match(await show(stranger, `iterations/${iteration.id}`), /0 of 1 issue closed.*Build a stove/);
  assert.match(toText(await render(stranger, `/${inGroup.path_with_namespace}/-/issues/1`)), /Epic Warm rooms/);
});

test('the to-do list has what waits for its user', async () => {
  await create('issues', { title: 'Buy matches', assignee_ids: [planner.id] });
  const show = async (caller: Caller | null, search = '') => toText(await render(caller, `/dashboard/todos${search}`));
  assert.match(await show(planner), /Mark all as done Buy matches .*assigned this to you/);
  assert.match(await show(planner, '?type=Epic'), /Nothing waits for you/);
  assert.match(await show(stranger), /Nothing waits for you/);
  assert.match(await show(null), /Sign in to see this page/);
  await expectSuccess(planner.post('/todos/mark_as_done'));
  assert.doesNotMatch(await show(planner), /Buy matches/);
  assert.match(await show(planner, '?state=done'), /Buy matches/);
});
