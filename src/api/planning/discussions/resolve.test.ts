import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { listNoteBodies, newIssue } from '../notes/fixtures.testing.ts';
import { createThread } from './fixtures.testing.ts';

const RESOLVED = 'resolved all threads';

async function merging() {
  const here = await world({ project: { readme: true, with: ['developer', 'planner'] } });
  const made = await newMergeRequest(here.project);
  return { ...here, made: { ...made, notes: `${made.at}/notes` } as { at: string; notes: string } };
}

const resolvedBy = async (caller: Caller, at: string): Promise<(number | null)[]> =>
  (await caller.get(at)).body.notes.map(
    (note: { resolved: boolean; resolved_by: { id: number } | null }) => note.resolved && note.resolved_by?.id,
  );

test('lets Developers, the author of the thread and the author of the noteable resolve a thread', async () => {
  const { project, developer, planner, guest } = await world({
    project: { with: ['developer', 'planner', 'guest'] },
  });
  const other = await project.addMember('guest');
  const issue = await newIssue(project, {}, guest);
  for (const [by, may] of [
    [developer, true],
    [planner, true],
    [guest, true],
    [other, false],
  ] as const) {
    const { at } = await createThread(planner, issue);
    const { status, body } = await by.put(at, { resolved: true });
    if (may) assert.deepEqual([status, await resolvedBy(planner, at)], [200, [by.id]]);
    else assert.deepEqual([status, body, await resolvedBy(planner, at)], [403, { message: '403 Forbidden' }, [false]]);
  }
});

test('keeps resolved notes, resolves replies to them by their author, and reopens all at once', async () => {
  const { made, owner, developer, planner } = await merging();
  const { at, thread } = await createThread(planner, made);
  const { body: note } = await expectSuccess(developer.put(`${at}/notes/${thread.notes[0].id}`, { resolved: true }));
  assert.deepEqual([note.resolved, note.resolved_by.id], [true, developer.id]);
  assert.deepEqual((await expectSuccess(owner.put(at, { resolved: true }))).body.notes, [note]);
  await expectSuccess(planner.post(`${at}/notes`, { body: 'Thanks' }));
  assert.deepEqual(await resolvedBy(owner, at), [developer.id, planner.id]);
  await expectSuccess(planner.put(at, { resolved: false }));
  assert.deepEqual(await resolvedBy(owner, at), [false, false]);
  assert.deepEqual(await listNoteBodies(owner, made), ['Thanks', RESOLVED, 'It spins']);
});

test('records the last resolved thread of a merge request once on concurrent requests', async () => {
  const { made, owner, developer } = await merging();
  const threads = [await createThread(owner, made), await createThread(owner, made)];
  await Promise.all(
    [owner, developer].flatMap((by) => threads.map(({ at }) => expectSuccess(by.put(at, { resolved: true })))),
  );
  const countResolvedNotes = async () => (await listNoteBodies(owner, made)).filter((body) => body === RESOLVED).length;
  assert.equal(await countResolvedNotes(), 1);
  await expectSuccess(owner.put(threads[0]!.at, { resolved: false }));
  await expectSuccess(owner.put(threads[0]!.at, { resolved: true }));
  assert.equal(await countResolvedNotes(), 2);
});

test('blocks the merge while a thread is unresolved if the project requires resolved threads', async () => {
  const { project, made, owner, developer } = await merging();
  const discussionStatus = async () => {
    const { body } = await owner.get(made.at);
    return [body.blocking_discussions_resolved, body.detailed_merge_status];
  };
  const { at, thread } = await createThread(developer, made);
  assert.deepEqual(await discussionStatus(), [true, 'mergeable']);
  await expectSuccess(owner.put(project.at, { only_allow_merge_if_all_discussions_are_resolved: true }));
  assert.deepEqual(await discussionStatus(), [false, 'discussions_not_resolved']);
  assert.equal((await owner.get(`${project.at}/merge_requests`)).body[0].blocking_discussions_resolved, false);
  assert.equal((await owner.put(`${made.at}/merge`)).status, 405);
  await expectSuccess(developer.delete(`${at}/notes/${thread.notes[0].id}`));
  assert.deepEqual(await discussionStatus(), [true, 'mergeable']);
  assert.equal((await owner.get(at)).status, 404);
  const again = await createThread(developer, made);
  await expectSuccess(owner.put(again.at, { resolved: true }));
  assert.equal((await expectSuccess(owner.put(`${made.at}/merge`))).body.state, 'merged');
});

test('rejects resolving notes that are not resolvable', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const { body: plain } = await expectSuccess(owner.post(issue.notes, { body: 'Seen' }));
  const [{ id }] = (await owner.get(`${issue.at}/discussions`)).body;
  const at = `${issue.at}/discussions/${id}`;
  const note = `${at}/notes/${plain.id}`;
  const neither = 'body, resolved are missing, exactly one parameter must be provided';
  const cases = [
    [owner.put(at, { resolved: true }), 403, { message: '403 Forbidden' }],
    [owner.put(at), 400, { error: 'resolved is missing' }],
    [owner.put(note, { resolved: true }), 400, { message: '400 Bad request - Note is not resolvable' }],
    [owner.put(note), 400, { error: neither }],
    [owner.put(note, { body: 'x', resolved: true }), 400, { error: 'body, resolved are mutually exclusive' }],
    [owner.put(note, { body: ' ' }), 400, { message: `400 Bad request - Note {:note=>["can't be blank"]}` }],
  ] as const;
  for (const [call, status, body] of cases) assert.deepEqual([(await call).status, (await call).body], [status, body]);
});
