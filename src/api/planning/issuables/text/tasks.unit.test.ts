import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTasks } from './texts.ts';

test('counts ticked and unticked list items', () => {
  const text =
    '- [ ] one\r\n* [x] two\n  + [X] three\n1. [ ] four\n2) [x] five\n- [y] no\n-[ ] no\n[ ] no\n- [ ]no\ntext - [ ] no';
  assert.deepEqual(countTasks(text), { task_count: 5, completed_task_count: 3 });
  assert.deepEqual(countTasks(null), { task_count: 0, completed_task_count: 0 });
});

test('counts items in quotes and indented items, but not in comments', () => {
  const text = '    - [ ] one\n\n> - [x] two\n> > * [ ] three\n\n<!--\n- [x] no\n-->\n>[x] no';
  assert.deepEqual(countTasks(text), { task_count: 3, completed_task_count: 1 });
});

test('ignores items in code', () => {
  const text = '- [ ] one `x`\n```\n- [x] no\n- [ ] no\n```\n- [x] two\n````md\n- [ ] no';
  assert.deepEqual(countTasks(text), { task_count: 2, completed_task_count: 1 });
});

test('counts items of the first 10,000 lines', () => {
  assert.deepEqual(countTasks('- [x] a\n'.repeat(120_000)), { task_count: 10_000, completed_task_count: 10_000 });
});
