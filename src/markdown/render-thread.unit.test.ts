import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { rejectExpensiveText, renderMarkdown } from './render-thread.ts';

test('remembers which texts are too expensive to render', async () => {
  const expensive = '&'.repeat(7 * 2 ** 20);
  rejectExpensiveText(expensive);
  await assert.rejects(renderMarkdown(expensive), QueueFull);
  assert.throws(() => rejectExpensiveText(expensive), QueueFull);
  rejectExpensiveText(`${expensive} `);
  assert.equal(await renderMarkdown('*a*'), '<p><em>a</em></p>\n');
});
