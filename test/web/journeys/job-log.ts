import assert from 'node:assert/strict';
import type { BrowserContextOptions } from 'playwright-core';
import { assertHarmless, withHarmlessPage } from '../harmless.ts';
import { check } from '../harness.ts';
import type { HostileProject } from '../hostile-project.ts';
import { HOSTILE_LOG } from '../hostile-texts.ts';
import type { Setup } from '../setup.ts';

/** Checks the page of a job with a hostile log. */
export async function checkLog(
  setup: Setup,
  options: BrowserContextOptions,
  { job, appendTrace }: HostileProject,
): Promise<void> {
  await check(setup, 'escape sequences of logs do nothing', () =>
    withHarmlessPage(setup, options, async (page) => {
      await appendTrace(`${HOSTILE_LOG}\n`);
      await page.goto(job);
      await page.getByText('the last line').waitFor();
      await assertHarmless(page, HOSTILE_LOG);
      assert.equal(await page.locator('.log a:not([href^="#"]), .log img').count(), 0);
    }),
  );
}
