import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newMergeRequest } from '../merge-requests/fixtures.testing.ts';
import { createThread } from './fixtures.testing.ts';

const NOWHERE = `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`;

/** Creates a merge request that deletes the first of three lines and adds a fourth, and a position in its diff. */
async function changing() {
  const here = await world({ project: { readme: true } });
  const { project, owner } = here;
  await project.commit({ 'a.txt': 'one\ntwo\nthree\n' });
  await project.commit({ 'a.txt': 'two\nthree\nfour\n' }, { branch: 'change' });
  const made = await newMergeRequest(project, { source_branch: 'change' });
  const { diff_refs: shas } = (await owner.get(made.at)).body;
  const position = { ...shas, position_type: 'text', old_path: 'a.txt', new_path: 'a.txt' };
  return { ...here, made, position };
}

test('accepts positions on added, removed and unchanged lines, on files and in images, and copies them to replies', async () => {
  const { owner, made, position } = await changing();
  const range = { start: { line_code: 'x_1_1', type: 'new', old_line: null, new_line: 1 }, end: { new_line: 3 } };
  const line = { old_line: null, new_line: null, line_range: null };
  const nothing = { line_code: null, type: null, old_line: null };
  const cases = [
    [{ new_line: 3 }, { ...line, new_line: 3 }],
    [{ old_line: 1 }, { ...line, old_line: 1 }],
    [
      { old_line: 2, new_line: 1 },
      { ...line, old_line: 2, new_line: 1 },
    ],
    [
      { new_line: 3, line_range: range },
      { ...line, new_line: 3, line_range: { ...range, end: { ...nothing, new_line: 3 } } },
    ],
    [{ position_type: 'file' }, {}],
    [
      { position_type: 'image', width: 9, height: 8, x: 1, y: 2 },
      { width: 9, height: 8, x: 1, y: 2 },
    ],
  ] as const;
  for (const [change, stored] of cases) {
    const { at, thread } = await createThread(owner, made, { position: { ...position, ...change } });
    const [note] = thread.notes;
    assert.deepEqual([note.type, note.resolvable, note.commit_id, note.suggestions], ['DiffNote', true, null, []]);
    const { position_type = 'text' } = change as { position_type?: string };
    assert.deepEqual(note.position, { ...position, position_type, ...stored });
    const { body: answer } = await expectSuccess(owner.post(`${at}/notes`, { body: 'Yes' }));
    assert.deepEqual([answer.type, answer.position], ['DiffNote', note.position]);
  }
});

test('stores the commit of a thread on the diff of one commit, and keeps it after a push', async () => {
  const { project, owner, made, position } = await changing();
  const { at, thread } = await createThread(owner, made, {
    position: { ...position, new_line: 3 },
    commit_id: position.head_sha,
  });
  assert.equal(thread.notes[0].commit_id, position.head_sha);
  await project.commit({ 'a.txt': 'other\n' }, { branch: 'change' });
  assert.deepEqual((await owner.get(at)).body, thread);
});

/** Creates a merge request that renames a file of 200 lines and inserts two lines after line 100. */
async function renaming() {
  const here = await world({ project: { readme: true } });
  const { project, owner } = here;
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`);
  await project.commit({ 'a.txt': lines.join('') });
  const renamed = lines.toSpliced(100, 0, 'one\n', 'two\n').join('');
  await project.commit({ 'a.txt': null, 'b.txt': renamed }, { branch: 'change' });
  const made = await newMergeRequest(project, { source_branch: 'change' });
  const { diff_refs: shas } = (await owner.get(made.at)).body;
  return { owner, made, position: { ...shas, position_type: 'text', old_path: 'a.txt', new_path: 'b.txt' } };
}

test('accepts unchanged lines at any distance of a change, also at both ends of a range', async () => {
  const { owner, made, position } = await renaming();
  const start = { line_code: null, type: null, old_line: 1, new_line: 1 };
  const end = { line_code: null, type: null, old_line: 200, new_line: 202 };
  for (const line of [
    { old_line: 1, new_line: 1 },
    { old_line: 90, new_line: 90 },
    { old_line: 101, new_line: 103 },
    { old_line: 200, new_line: 202, line_range: { start, end } },
  ]) {
    const { thread } = await createThread(owner, made, { position: { ...position, ...line } });
    assert.deepEqual(thread.notes[0].position, { ...position, line_range: null, ...line });
  }
  for (const line of [
    { old_line: 90, new_line: 92 },
    { old_line: 101, new_line: 101 },
    { old_line: 201, new_line: 203 },
    { old_line: 0, new_line: 0 },
    { new_line: 1 },
    { old_line: 200 },
  ]) {
    const input = { body: 'x', position: { ...position, ...line } };
    const { status, body } = await owner.post(`${made.at}/discussions`, input);
    assert.deepEqual([status, body], [400, { message: NOWHERE }], JSON.stringify(line));
  }
});

test('rejects incomplete positions and positions outside of the diff', async () => {
  const { owner, made, position } = await changing();
  const incomplete = { message: '400 Bad request - Note {:position=>["is incomplete"]}' };
  const { base_sha, head_sha } = position;
  const cases = [
    [{}, incomplete],
    [{ new_line: 3, old_path: '', new_path: '' }, incomplete],
    [{ position_type: 'image', width: 9 }, incomplete],
    [{ new_line: 4 }, { message: NOWHERE }],
    [{ new_line: 1 }, { message: NOWHERE }],
    [{ old_line: 1, new_line: 1 }, { message: NOWHERE }],
    [{ new_line: 3, new_path: 'b.txt' }, { message: NOWHERE }],
    [{ new_line: 3, head_sha: base_sha }, { message: NOWHERE }],
    [{ new_line: 3, head_sha: '1'.repeat(40) }, { message: NOWHERE }],
    [{ new_line: 3, head_sha: head_sha.slice(0, 10) }, { message: NOWHERE }],
    [{ new_line: 3, base_sha: '--all' }, { message: NOWHERE }],
    [{ new_line: 3, base_sha: undefined }, { error: 'position[base_sha] is missing' }],
    [{ position_type: 'line' }, { error: 'position[position_type] does not have a valid value' }],
  ] as const;
  for (const [change, answer] of cases) {
    const { status, body } = await owner.post(`${made.at}/discussions`, {
      body: 'x',
      position: { ...position, ...change },
    });
    assert.deepEqual([status, body], [400, answer], JSON.stringify(change));
  }
  assert.deepEqual((await owner.get(`${made.at}/discussions`)).body, []);
});
