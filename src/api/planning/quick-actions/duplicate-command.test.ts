import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { newGroup, newProject, anonymous } = await world();
const group = await newGroup({ visibility: 'public', with: ['planner', 'guest'] });
const { owner, planner, guest } = group;
const project = await newProject({ in: group, visibility: 'public' });
const sibling = await newProject({ in: group, visibility: 'public' });

interface CommentedIssue {
  readonly at: string;
  readonly notes: string;
}

async function run({ notes }: CommentedIssue, body: string, by: Caller = owner): Promise<unknown> {
  const { status, body: reply } = await by.post(notes, { body });
  return status === 202 ? reply.summary[0] : [status, reply.message ?? reply.body];
}

const listNotes = async ({ notes }: CommentedIssue, by: Caller = owner): Promise<string[]> =>
  (await expectSuccess(by.get(notes, { sort: 'asc' }))).body.map(({ body }: { body: string }) => body);

async function getDuplicateLink({ at }: CommentedIssue, by: Caller = owner): Promise<string | null> {
  const { body } = await expectSuccess(by.get(at));
  return body._links.closed_as_duplicate_of;
}

const toApiUrl = async (issue: CommentedIssue): Promise<string> => (await owner.get(issue.at)).body._links.self;

test('/duplicate closes the issue, links both issues and writes a note on each', async () => {
  const [issue, original] = [await newIssue(project), await newIssue(project)];
  const { body: commented } = await expectSuccess(
    owner.post(issue.notes, { body: `Seen before\n/duplicate #${original.iid}` }),
  );
  assert.deepEqual(commented.commands_changes, { canonical_issue_id: original.id });
  const { body } = await expectSuccess(owner.get(issue.at));
  assert.deepEqual([body.state, body._links.closed_as_duplicate_of], ['closed', await toApiUrl(original)]);
  const [link] = (await expectSuccess(owner.get(`${issue.at}/links`))).body;
  assert.deepEqual([link.iid, link.link_type], [original.iid, 'relates_to']);
  assert.deepEqual(await listNotes(issue), [
    'Seen before',
    `marked this issue as a duplicate of #${original.iid}`,
    `marked this issue as related to #${original.iid}`,
  ]);
  assert.deepEqual(await listNotes(original), [
    `marked #${issue.iid} as a duplicate of this issue`,
    `marked this issue as related to #${issue.iid}`,
  ]);
  assert.equal((await owner.get(original.at)).body.state, 'opened');
  const [event] = (await expectSuccess(owner.get(`${issue.at}/resource_state_events`))).body;
  assert.equal(event.state, 'closed');
  const listed = (await owner.get(`${project.at}/issues`, { iids: [issue.iid] })).body;
  assert.equal(listed[0]._links.closed_as_duplicate_of, await toApiUrl(original));
});

test('/duplicate finds issues of other projects by path and URL, and keeps an existing link', async () => {
  const [issue, original] = [await newIssue(project), await newIssue(sibling)];
  await expectSuccess(owner.post(issue.notes, { body: `/relate ${sibling.path_with_namespace}#${original.iid}` }));
  const { web_url: url } = (await owner.get(original.at)).body;
  for (const reference of [`${sibling.path_with_namespace}#${original.iid}`, url]) {
    const message = `Closed this Issue. Marked as related to, and a duplicate of, ${url}.`;
    assert.equal(await run(issue, `/duplicate ${reference}`), message);
  }
  assert.equal(await getDuplicateLink(issue), await toApiUrl(original));
  assert.equal((await owner.get(`${issue.at}/links`)).body.length, 1);
  const [, marked] = await listNotes(issue);
  assert.equal(marked, `marked this issue as a duplicate of ${sibling.path}#${original.iid}`);
  assert.equal((await listNotes(original))[1], `marked ${project.path}#${issue.iid} as a duplicate of this issue`);
});

test('/duplicate in a description marks an existing issue, not a new one', async () => {
  const [issue, original] = [await newIssue(project), await newIssue(project)];
  const description = `Text\n/duplicate #${original.iid}`;
  const { body } = await expectSuccess(owner.put(issue.at, { description }));
  assert.deepEqual(
    [body.description, body.state, body._links.closed_as_duplicate_of],
    ['Text', 'closed', await toApiUrl(original)],
  );
  const { body: created } = await expectSuccess(owner.post(`${project.at}/issues`, { title: 'New', description }));
  assert.deepEqual([created.state, created._links.closed_as_duplicate_of], ['opened', null]);
});

test('/duplicate says why an issue cannot be marked, and changes nothing', async () => {
  const [issue, ofPlanner] = [await newIssue(project), await newIssue(project, {}, planner)];
  const archived = await newProject({ in: group, visibility: 'public' });
  const archivedIssue = await newIssue(archived);
  await expectSuccess(owner.post(`${archived.at}/archive`));
  const notFound = 'Failed to mark this Issue as a duplicate because referenced item was not found.';
  const hidden = await newIssue(sibling, { confidential: true });
  assert.equal(await run(issue, '/duplicate #9999'), notFound);
  assert.equal(await run(issue, '/duplicate nonsense'), notFound);
  assert.equal(await run(issue, `/duplicate #${issue.iid}`), 'Failed to mark the Issue as duplicate of itself.');
  assert.equal(
    await run(issue, `/duplicate ${archived.path_with_namespace}#${archivedIssue.iid}`),
    'Failed to mark this Issue as duplicate due to insufficient permissions.',
  );
  assert.deepEqual(await run(issue, '/duplicate'), [400, '400 Bad request - Failed to apply commands.']);
  assert.equal(await run(ofPlanner, `/duplicate #${issue.iid}`, guest), 'Could not apply duplicate command.');
  const own = await newIssue(project, {}, guest);
  assert.equal(await run(own, `/duplicate ${sibling.path_with_namespace}#${hidden.iid}`, guest), notFound);
  for (const { at } of [issue, ofPlanner, own]) {
    const { body } = await owner.get(at);
    assert.deepEqual([body.state, body._links.closed_as_duplicate_of], ['opened', null]);
  }
});

test('marks an incident and a closed issue, and replaces an earlier mark', async () => {
  const incident = await newIssue(project, { issue_type: 'incident' });
  const [first, second] = [await newIssue(project), await newIssue(project)];
  await expectSuccess(owner.put(incident.at, { state_event: 'close' }));
  assert.match(String(await run(incident, `/duplicate #${first.iid}`)), /^Closed this Incident\. Marked as related to/);
  await run(incident, `/duplicate #${second.iid}`);
  assert.equal(await getDuplicateLink(incident), await toApiUrl(second));
  assert.equal(
    (await owner.get(`${incident.at}/resource_state_events`)).body.filter(
      ({ state }: { state: string }) => state === 'closed',
    ).length,
    1,
  );
});

test('reopening an issue ends its mark as a duplicate, also by a later command of the same text', async () => {
  const [issue, original] = [await newIssue(project), await newIssue(project)];
  await run(issue, `/duplicate #${original.iid}`);
  await expectSuccess(owner.put(issue.at, { state_event: 'reopen' }));
  assert.equal(await getDuplicateLink(issue), null);
  await run(issue, `/duplicate #${original.iid}`);
  await run(issue, '/reopen');
  assert.equal(await getDuplicateLink(issue), null);
  await run(issue, `/duplicate #${original.iid}\n/reopen`);
  const { body } = await owner.get(issue.at);
  assert.deepEqual([body.state, body._links.closed_as_duplicate_of], ['opened', null]);
  await expectSuccess(owner.put(issue.at, { state_event: 'close' }));
  assert.equal(await getDuplicateLink(issue), null);
});

test('shows the original only to signed-in callers who may read it', async () => {
  const [issue, original, confidential] = [
    await newIssue(project),
    await newIssue(sibling),
    await newIssue(sibling, { confidential: true }),
  ];
  await run(issue, `/duplicate ${sibling.path_with_namespace}#${original.iid}`);
  assert.equal(await getDuplicateLink(issue, guest), await toApiUrl(original));
  assert.equal(await getDuplicateLink(issue, anonymous), null);
  await run(issue, `/duplicate ${sibling.path_with_namespace}#${confidential.iid}`);
  assert.equal(await getDuplicateLink(issue, planner), await toApiUrl(confidential));
  assert.equal(await getDuplicateLink(issue, guest), null);
  const texts = await listNotes(issue, guest);
  assert.deepEqual(
    texts.filter((text) => text.includes(`${sibling.path}#${confidential.iid}`)),
    [],
  );
});

test('a copy in another project and the deletion of the original end the mark', async () => {
  const [issue, original] = [await newIssue(project), await newIssue(project)];
  await run(issue, `/duplicate #${original.iid}`);
  const { body: copy } = await expectSuccess(owner.post(`${issue.at}/move`, { to_project_id: sibling.id }));
  assert.deepEqual([copy.state, copy._links.closed_as_duplicate_of], ['opened', null]);
  await expectSuccess(owner.delete(original.at));
  assert.equal(await getDuplicateLink(issue), null);
});
