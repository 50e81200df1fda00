import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { check, MAX_TASK_MS, measureLongestTask, signIn, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

const PROJECT = 'root/reviewed-stove';
const PASSWORD = 'smoke-and-ashes-7';

/** Journeys through merge requests. */
export async function checkMergeRequests(setup: Setup): Promise<void> {
  await setup.post('/projects', { name: 'reviewed-stove', visibility: 'public', initialize_with_readme: true });
  await check(setup, 'a change of one user is commented, approved and merged by another', () =>
    withPage(setup, {}, (author) =>
      withPage(setup, { storageState: setup.session }, (reviewer) => reviewChange(setup, author, reviewer)),
    ),
  );
  await check(setup, 'a change of 3,000 lines does not stop the page', () =>
    withPage(setup, { storageState: setup.session }, (page) => measureLargeChange(setup, page)),
  );
}

async function reviewChange(setup: Setup, author: Page, reviewer: Page): Promise<void> {
  const user = { name: 'Ada Ember', username: 'ada', email: 'ada@stove.example', password: PASSWORD };
  const { id } = await setup.post('/users', { ...user, skip_confirmation: true });
  await setup.post(`/projects/${encodeURIComponent(PROJECT)}/members`, { user_id: id, access_level: 30 });
  await signIn(author, { username: 'ada', password: PASSWORD });
  await author.goto(`/${PROJECT}/-/edit/main/README.md`);
  await author.getByLabel('Content').fill('# Stove\nIt burns wood.\n');
  await author.getByRole('textbox', { name: 'New branch' }).fill('fix/readme');
  await author.getByRole('button', { name: 'Commit' }).click();
  await author.getByText('Committed to the new branch').waitFor();
  await author.goto(`/${PROJECT}/-/merge_requests`);
  await author.getByRole('link', { name: 'New merge request' }).click();
  await author.getByLabel('Source branch', { exact: true }).fill('fix/readme');
  await author.getByLabel('Title', { exact: true }).fill('Say what burns');
  await author.getByRole('button', { name: 'Create merge request' }).click();
  await author.getByRole('heading', { level: 1, name: 'Say what burns' }).waitFor();
  await author.getByText('You are not allowed to merge into main.').waitFor();

  await reviewer.goto(author.url());
  await reviewer
    .getByRole('navigation', { name: 'Merge request' })
    .getByRole('link', { name: /^Changes/ })
    .click();
  const row = reviewer.getByRole('row').filter({ hasText: '+It burns wood.' });
  await row.getByRole('link').click();
  await reviewer.getByLabel('Comment on line 2 of README.md').last().fill('And peat?');
  await reviewer.getByRole('button', { name: 'Add comment' }).click();
  await reviewer.getByRole('article').getByText('And peat?').waitFor();
  assert.match(reviewer.url(), /#diff-README\.md__2$/);

  const thread = author.getByRole('listitem').filter({ hasText: 'And peat?' });
  await thread.getByRole('link', { name: 'README.md, line 2' }).waitFor();
  await thread.getByRole('button', { name: /^Reply/ }).click();
  await thread.getByRole('textbox', { name: 'Reply' }).fill('No.');
  await thread.getByRole('button', { name: 'Reply', exact: true }).click();
  await thread.getByText('No.').waitFor();
  await author.getByRole('button', { name: 'Mark as draft' }).click();
  await author.getByRole('button', { name: 'Mark as ready' }).waitFor();

  await reviewer.getByRole('link', { name: 'Overview' }).click();
  await reviewer.getByText('It is a draft.').waitFor();
  await reviewer.getByRole('button', { name: /^Resolve/ }).click();
  await reviewer.getByText('Resolved thread of').waitFor();
  await reviewer.getByRole('button', { name: 'Approve', exact: true }).click();
  await reviewer.getByRole('button', { name: 'Revoke approval' }).waitFor();
  await author.getByRole('button', { name: 'Mark as ready' }).click();
  // The page of the reviewer is read again by itself.
  await reviewer.getByText('It is ready to be merged.').waitFor();
  await reviewer.getByRole('button', { name: 'Merge', exact: true }).click();
  await reviewer.getByRole('heading', { name: 'Merged' }).waitFor();
  await author.getByRole('heading', { name: 'Merged' }).waitFor();
  await author.goto(`/${PROJECT}/-/blob/main/README.md`);
  await author.getByText('It burns wood.').first().waitFor();
}

const createLines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `  const ${name}${index} = heat(${index}, { flue: "open" });\n`).join('');

/** Opens a change of 3,000 lines, reads it to its end and opens the form of a comment. Prints how long tasks took. */
async function measureLargeChange({ post }: Setup, page: Page): Promise<void> {
  const at = `/projects/${encodeURIComponent(PROJECT)}`;
  const files = { a: 2000, b: 500, c: 500 };
  await post(`${at}/repository/commits`, {
    branch: 'large',
    start_branch: 'main',
    commit_message: 'Add large files',
    actions: Object.entries(files).map(([name, count]) => ({
      action: 'create',
      file_path: `${name}.ts`,
      content: createLines(name, count),
    })),
  });
  const { iid } = await post(`${at}/merge_requests`, {
    title: 'Add large files',
    source_branch: 'large',
    target_branch: 'main',
  });
  await page.goto('/explore');
  await page.addInitScript(`globalThis.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: true });`);
  const longest = await measureLongestTask(page, async () => {
    await page.goto(`/${PROJECT}/-/merge_requests/${iid}/diffs`);
    for (const [name, count] of Object.entries(files)) {
      await page.locator(`[id="diff-${name}.ts"]`).evaluate((element) => element.scrollIntoView());
      await page.locator(`[id="diff-${name}.ts__${count}"]`).waitFor({ state: 'attached' });
    }
    await page.locator('[id="diff-a.ts__1000"] a').click();
    await page.getByLabel('Comment on line 1000 of a.ts').last().waitFor();
  });
  const longTasks = await page.evaluate<number[]>('longTasks');
  const elapsed = Math.round(Math.max(0, ...longTasks));
  process.stdout.write(
    `3,000 changed lines: the longest task took ${longest} ms of the processor; ${longTasks.length} tasks took over 50 ms, ` +
      `at most ${elapsed} ms, on this machine at this moment\n`,
  );
  assert.ok(longest <= MAX_TASK_MS, `a task took ${longest} ms of the processor`);
}
