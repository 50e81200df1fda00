import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { newGroup, newProject, clock } = await world();
const group = await newGroup({ with: ['planner', 'guest'] });
const { owner, guest } = group;
const project = await newProject({ in: group, readme: true });
const other = await newProject({ in: group });

interface CommentedIssue {
  readonly at: string;
  readonly notes: string;
}

async function run({ notes }: Pick<CommentedIssue, 'notes'>, body: string, by: Caller = owner) {
  const response = await by.post(notes, { body });
  return response.status === 202
    ? response.body.summary[0]
    : [response.status, response.body.message ?? response.body.body];
}

const listLinks = async ({ at }: CommentedIssue) =>
  (await expectSuccess(owner.get(`${at}/links`))).body.map(
    ({ iid, link_type }: { iid: number; link_type: string }) => `${link_type} ${iid}`,
  );

const SENTENCES = { relate: 'related to', blocks: 'blocked by', blocked_by: 'blocking' } as const;
const LINK_TYPES = { relate: 'relates_to', blocks: 'blocks', blocked_by: 'is_blocked_by' } as const;

for (const name of ['relate', 'blocks', 'blocked_by'] as const) {
  test(`/${name} links issues by iid, path and URL`, async () => {
    const [issue, first, second, third] = [
      await newIssue(project),
      await newIssue(project),
      await newIssue(other),
      await newIssue(project),
    ];
    const url = (await owner.get(third.at)).body.web_url;
    const references = [`#${first.iid}`, `${other.path_with_namespace}#${second.iid}`, url];
    assert.equal(
      await run(issue, `/${name} ${references.join(' ')}`),
      `Added ${references[0]}, ${references[1]}, and ${url} as a linked item ${SENTENCES[name]} this issue.`,
    );
    const links = await listLinks(issue);
    assert.deepEqual(links.sort(), [first, second, third].map(({ iid }) => `${LINK_TYPES[name]} ${iid}`).sort());
  });
}

test('/relate links only issues that the caller may link, and /unlink removes the link', async () => {
  const [issue, hidden] = [await newIssue(project), await newIssue(project, { confidential: true })];
  assert.match(await run(issue, `/relate #${hidden.iid} #999`, guest), /^Added #\d+ and #999 as a linked item/);
  assert.deepEqual(await listLinks(issue), []);
  assert.equal(await run(issue, `/unlink #${hidden.iid}`), 'No linked issue matches the provided parameter.');
  const { body } = await expectSuccess(
    owner.post(`${project.at}/issues`, { title: 'New', description: `Text\n/relate #${issue.iid}` }),
  );
  assert.deepEqual(await listLinks(issue), [`relates_to ${body.iid}`]);
  assert.equal(await run(issue, `/unlink #${body.iid}`), `Removed linked item #${body.iid}.`);
  assert.deepEqual(await listLinks(issue), []);
  const [, removed] = (await owner.get(issue.notes, { sort: 'asc' })).body;
  assert.equal(removed.body, `removed the relation with #${body.iid}`);
});

test('/move moves the issue with the text of the comment', async () => {
  const issue = await newIssue(project);
  const path = other.path_with_namespace;
  assert.equal(await run(issue, `/move ${path}`, guest), 'Could not apply move command.');
  const unknown = "Unable to move. Target project or group doesn't exist or doesn't support this item type.";
  for (const target of ['nowhere/at-all', String(other.id)]) assert.equal(await run(issue, `/move ${target}`), unknown);
  const { body } = await expectSuccess(owner.post(issue.notes, { body: `Belongs there\n/move ${path}` }));
  assert.equal(body.body, 'Belongs there');
  const { state, moved_to_id: id } = (await owner.get(issue.at)).body;
  const [moved] = (await owner.get(`${other.at}/issues`)).body.filter((copy: { id: number }) => copy.id === id);
  assert.deepEqual([state, moved.user_notes_count], ['closed', 1]);
  assert.equal(await run(issue, `/move ${path}`), 'Could not apply move command.');
});

test('/copy_metadata copies labels and the milestone of an issue or merge request of the project', async () => {
  const { body: milestone } = await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }));
  const source = await newIssue(project, { labels: 'a,b', milestone_id: milestone.id });
  const mergeRequest = await newMergeRequest(project, { labels: 'c' });
  const issue = await newIssue(project, { labels: 'd' });
  assert.equal(await run(issue, `/copy_metadata #${source.iid}`), `Copied labels and milestone from #${source.iid}.`);
  assert.equal(
    await run(issue, `/copy_metadata !${mergeRequest.iid}`),
    `Copied labels and milestone from !${mergeRequest.iid}.`,
  );
  const { labels, milestone: copied } = (await owner.get(issue.at)).body;
  assert.deepEqual([labels, copied.id], [['a', 'b', 'c', 'd'], milestone.id]);
  const failed = 'Could not apply copy_metadata command. Failed to find work item or merge request.';
  assert.equal(await run(issue, '/copy_metadata #999'), failed);
  const foreign = await newIssue(other);
  assert.deepEqual(await run(issue, `/copy_metadata ${other.path_with_namespace}#${foreign.iid}`), [
    400,
    '400 Bad request - Failed to apply commands.',
  ]);
});

test('/promote_to_incident makes an issue an incident, once', async () => {
  const issue = await newIssue(project);
  assert.equal(await run(issue, '/promote_to_incident'), 'Issue has been promoted to incident');
  assert.equal((await owner.get(issue.at)).body.issue_type, 'incident');
  assert.equal(await run(issue, '/promote_to_incident'), 'Could not apply promote_to_incident command.');
});

test('/iteration and /remove_iteration set and clear the iteration', async () => {
  const issue = await newIssue(project);
  assert.equal(await run(issue, '/iteration --next'), 'Could not apply iteration command.');
  const day = (offset: number) => new Date(clock.now().getTime() + offset * 86_400_000).toISOString().slice(0, 10);
  const create = async (title: string, from: number) =>
    (
      await expectSuccess(
        owner.post(`${group.at}/iterations`, { title, start_date: day(from), due_date: day(from + 6) }),
      )
    ).body;
  const [current, next] = [await create('Now', -1), await create('Late in July', 7)];
  const cases = [
    ['--current', current.id],
    ['*iteration:"Late in July"', next.id],
    [`*iteration:${current.id}`, current.id],
    ['--next', next.id],
  ] as const;
  for (const [argument, id] of cases) {
    assert.equal(await run(issue, `/iteration ${argument}`), `Set the iteration to *iteration:${id}.`, argument);
    assert.equal((await owner.get(issue.at)).body.iteration.id, id);
  }
  const failures = {
    '*iteration:"None"': 'Failed to find the referenced iteration.',
    '[cadence:"None"] --next': 'Failed to find the referenced iteration cadence.',
    now: 'Missing option --current or --next.',
  };
  for (const [argument, text] of Object.entries(failures))
    assert.equal(await run(issue, `/iteration ${argument}`), `Could not apply iteration command. ${text}`);
  assert.equal(await run(issue, '/remove_iteration'), 'Removed *iteration:"Late in July" iteration.');
  assert.equal((await owner.get(issue.at)).body.iteration, null);
  assert.equal(await run(issue, '/remove_iteration'), 'Could not apply remove_iteration command.');
});

test('/target_branch sets the target branch of a new merge request, if the branch exists', async () => {
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'release', ref: 'main' }));
  const created = await newMergeRequest(project, { description: 'Text\n/target_branch release' });
  assert.deepEqual([created.target_branch, created.description], ['release', 'Text']);
  const unknown = await newMergeRequest(project, { description: '/target_branch nowhere' });
  assert.deepEqual([unknown.target_branch, unknown.description], ['main', '']);
});

test('/shrug and /tableflip are replaced in comments and descriptions', async () => {
  const { body: issue } = await expectSuccess(
    owner.post(`${project.at}/issues`, { title: 'x', description: '/shrug who knows' }),
  );
  assert.equal(issue.description, '¯\\＿(ツ)＿/¯ who knows');
  const notes = `${project.at}/issues/${issue.iid}/notes`;
  assert.deepEqual(await run({ notes }, '/tableflip'), [201, '(╯°□°)╯︵ ┻━┻']);
  assert.deepEqual(await run({ notes }, '`/shrug`\n/close\n/SHRUG'), [201, '`/shrug`\n¯\\＿(ツ)＿/¯']);
  assert.deepEqual(await run({ notes }, '```\n/shrug\n```'), [201, '```\n/shrug\n```']);
});
