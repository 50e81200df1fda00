import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIssueReference } from './references.ts';

test('reads references and URLs of issues', () => {
  const cases: [text: string, project: string, iid: number][] = [
    ['#3', 'g/p', 3],
    [' 12 ', 'g/p', 12],
    ['a/b/c#4', 'a/b/c', 4],
    ['https://forge.test/a/b/-/issues/5', 'a/b', 5],
    ['https://forge.test/a/b/-/work_items/5#note_1', 'a/b', 5],
  ];
  for (const [text, project, iid] of cases) assert.deepEqual(parseIssueReference(text, 'g/p'), { project, iid }, text);
  for (const text of ['', '#', 'a/b', '#x', 'a/b!3', '#3.5'])
    assert.equal(parseIssueReference(text, 'g/p'), null, text);
});
