import assert from 'node:assert/strict';
import type { BrowserContextOptions } from 'playwright-core';
import { assertHarmless, withHarmlessPage } from '../harmless.ts';
import { check, withPage } from '../harness.ts';
import type { HostileProject } from '../hostile-project.ts';
import { HOSTILE_LOG } from '../hostile-texts.ts';
import type { Setup } from '../setup.ts';

/** Checks the page of a job with a hostile log, and with a long one. */
export async function checkLog(
  setup: Setup,
  options: BrowserContextOptions,
  { job, appendTrace }: HostileProject,
): Promise<void> {
  await check('escape sequences of logs do nothing', () =>
    withHarmlessPage(setup, options, async (page) => {
      await appendTrace(`${HOSTILE_LOG}\n`);
      await page.goto(job);
      await page.getByText('the last line').waitFor();
      await assertHarmless(page, HOSTILE_LOG);
      assert.equal(await page.locator('.log a:not([href^="#"]), .log img').count(), 0);
    }),
  );
  await check('a log of 50,000 lines takes 2.5 s of CPU time, and the browser finds text in it', () =>
    withPage(setup, options, async (page) => {
      const line = (index: number) =>
        `${index % 10 === 0 ? '\x1b[32m' : ''}line ${index}\x1b[0m ${'of a long log '.repeat(5)}\n`;
      await appendTrace(Array.from({ length: 50_000 }, (_, index) => line(index)).join(''));
      const session = await page.context().newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.goto(job);
      await page.locator('.log-lines > div').nth(50_000).waitFor({ state: 'attached' });
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      const { metrics } = await session.send('Performance.getMetrics');
      const seconds = metrics.find(({ name }) => name === 'TaskDuration')!.value;
      assert.ok(seconds < 2.5, `${seconds} s`);
      assert.equal(await page.evaluate("window.find('line 49123 of')"), true);
    }),
  );
}
