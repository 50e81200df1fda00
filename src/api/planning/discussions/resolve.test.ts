import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, done, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { bodiesOf, newIssue } from '../notes/fixtures.testing.ts';
import { begin } from './fixtures.testing.ts';

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

test('Developers, who has begun it and the author of the thing resolve a thread, and nobody else', async () => {
  const { project, developer, planner, guest } = await world({
    project: { with: ['developer', 'planner', 'guest'] },
  });
  const other = await project.add('guest');
  const issue = await newIssue(project, {}, guest);
  for (const [by, may] of [
    [developer, true],
    [planner, true],
    [guest, true],
    [other, false],
  ] as const) {
    const { at } = await begin(planner, issue);
    const { status, body } = await by.put(at, { resolved: true });
    if (may) assert.deepEqual([status, await resolvedBy(planner, at)], [200, [by.id]]);
    else assert.deepEqual([status, body, await resolvedBy(planner, at)], [403, { message: '403 Forbidden' }, [false]]);
  }
});

test('what is resolved already stays as it is, an answer to it is resolved by its author, and all opens again at once', async () => {
  const { made, owner, developer, planner } = await merging();
  const { at, thread } = await begin(planner, made);
  const { body: note } = await done(developer.put(`${at}/notes/${thread.notes[0].id}`, { resolved: true }));
  assert.deepEqual([note.resolved, note.resolved_by.id], [true, developer.id]);
  assert.deepEqual((await done(owner.put(at, { resolved: true }))).body.notes, [note]);
  await done(planner.post(`${at}/notes`, { body: 'Thanks' }));
  assert.deepEqual(await resolvedBy(owner, at), [developer.id, planner.id]);
  await done(planner.put(at, { resolved: false }));
  assert.deepEqual(await resolvedBy(owner, at), [false, false]);
  assert.deepEqual(await bodiesOf(owner, made), ['Thanks', RESOLVED, 'It spins']);
});

test('the last open thread of a merge request is told of once, whoever resolves it at the same time', async () => {
  const { made, owner, developer } = await merging();
  const threads = [await begin(owner, made), await begin(owner, made)];
  await Promise.all([owner, developer].flatMap((by) => threads.map(({ at }) => done(by.put(at, { resolved: true })))));
  const told = async () => (await bodiesOf(owner, made)).filter((body) => body === RESOLVED).length;
  assert.equal(await told(), 1);
  await done(owner.put(threads[0]!.at, { resolved: false }));
  await done(owner.put(threads[0]!.at, { resolved: true }));
  assert.equal(await told(), 2);
});

test('an open thread stands in the way where the project wants all of them resolved, until it is resolved or gone', async () => {
  const { project, made, owner, developer } = await merging();
  const says = async () => {
    const { body } = await owner.get(made.at);
    return [body.blocking_discussions_resolved, body.detailed_merge_status];
  };
  const { at, thread } = await begin(developer, made);
  assert.deepEqual(await says(), [true, 'mergeable']);
  await done(owner.put(project.at, { only_allow_merge_if_all_discussions_are_resolved: true }));
  assert.deepEqual(await says(), [false, 'discussions_not_resolved']);
  assert.equal((await owner.get(`${project.at}/merge_requests`)).body[0].blocking_discussions_resolved, false);
  assert.equal((await owner.put(`${made.at}/merge`)).status, 405);
  await done(developer.delete(`${at}/notes/${thread.notes[0].id}`));
  assert.deepEqual(await says(), [true, 'mergeable']);
  assert.equal((await owner.get(at)).status, 404);
  const again = await begin(developer, made);
  await done(owner.put(again.at, { resolved: true }));
  assert.equal((await done(owner.put(`${made.at}/merge`))).body.state, 'merged');
});

test('nothing is resolved of what cannot be', async () => {
  const { project, owner } = await world({ project: {} });
  const issue = await newIssue(project);
  const { body: plain } = await done(owner.post(issue.notes, { body: 'Seen' }));
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
