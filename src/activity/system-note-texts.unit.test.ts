import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assigneesChangedText,
  confidentialityChangedText,
  dueDateChangedText,
  estimateChangedText,
  lockChangedText,
  timeSpentText,
  titleChangedText,
} from './system-notes.ts';

test('marks the changed part of a title', () => {
  const titles: [from: string, to: string, text: string][] = [
    ['Old title', 'Lorem ipsum', '**{-Old title-}** to **{+Lorem ipsum+}**'],
    ['Fix the loop', 'Fix the retry loop', '**Fix the loop** to **Fix the {+retry +}loop**'],
    ['Fix the retry loop', 'Fix loop', '**Fix {-the retry -}loop** to **Fix loop**'],
    ['aa', 'aaa', '**aa** to **aa{+a+}**'],
    ['loop 🐢', 'loop 🐇', '**loop {-🐢-}** to **loop {+🐇+}**'],
  ];
  for (const [from, to, text] of titles) {
    assert.deepEqual(titleChangedText(from, to), { kind: 'title', text: `changed title from ${text}` });
  }
});

test('names assigned and unassigned users', () => {
  const texts: [added: string[], removed: string[], text: string][] = [
    [['ada'], [], 'assigned to @ada'],
    [[], ['ada'], 'unassigned @ada'],
    [['ada', 'ben'], ['cy'], 'assigned to @ada and @ben and unassigned @cy'],
    [['ada', 'ben', 'cy'], [], 'assigned to @ada, @ben, and @cy'],
  ];
  for (const [added, removed, text] of texts) assert.equal(assigneesChangedText(added, removed).text, text);
});

test('describes dates, times and switches in words', () => {
  assert.equal(dueDateChangedText('2026-03-05').text, 'changed due date to March 5, 2026');
  assert.equal(dueDateChangedText(null).text, 'removed due date');
  assert.equal(confidentialityChangedText('issue', true).text, 'made the issue confidential');
  assert.equal(confidentialityChangedText('issue', false).text, 'made the issue visible to everyone');
  assert.equal(lockChangedText('merge request', true).text, 'locked the discussion in this merge request');
  assert.equal(lockChangedText('issue', false).text, 'unlocked the discussion in this issue');
  assert.equal(timeSpentText('1h', '2026-02-03').text, 'added 1h of time spent at 2026-02-03');
  assert.equal(timeSpentText('30m', '2026-02-03', true).text, 'subtracted 30m of time spent at 2026-02-03');
  assert.equal(estimateChangedText('1d').text, 'changed time estimate to 1d');
  assert.equal(estimateChangedText(null).text, 'removed time estimate');
});
