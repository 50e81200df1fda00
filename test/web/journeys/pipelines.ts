import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { check, MAX_TASK_MS, measureLongestTask, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Journeys through pipelines whose jobs are run by a runner of this test. */
export async function checkPipelines(setup: Setup): Promise<void> {
  const runner = await createRunner(setup);
  await check(setup, 'a pipeline from red to green with a live log', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await page.goto(`/${runner.project}/-/pipelines`);
      await page.getByRole('link', { name: 'Run a pipeline' }).click();
      await page.getByLabel('Key 1').fill('SIZE');
      await page.getByLabel('Value 1').fill('large');
      await page.getByRole('button', { name: 'Run the pipeline' }).click();
      await page.getByRole('heading', { name: /^Pipeline #\d+$/ }).waitFor();
      const pipeline = page.url();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Winter release');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: /: Winter release$/ }).waitFor();
      await page.getByRole('button', { name: 'Show the variables' }).click();
      await page.getByRole('cell', { name: 'large' }).waitFor();
      await page.getByRole('link', { name: 'compile' }).click();
      await page.getByText('The job has not started.').waitFor();
      const first = await runner.takeJob();
      await first.append('$ make\n');
      await page.getByText('$ make').waitFor();
      await page.evaluate('globalThis.isKept = document.querySelector(".log-lines > div")');
      await first.append('\u001b[31merror: the grate is missing\u001b[0m\n');
      await page.getByText('error: the grate is missing').waitFor();
      assert.equal(await page.evaluate('globalThis.isKept.isConnected'), true, 'the first line was drawn again');
      await first.finish('failed');
      await page.getByText('script failure').waitFor();
      await page.getByRole('link', { name: 'First failure' }).click();
      assert.match(page.url(), /#L2$/);
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByText('The job has not started.').waitFor();
      const second = await runner.takeJob();
      await second.append('$ make\nAll is well\n');
      await second.finish('success');
      await page.getByText('All is well').waitFor();
      await page.goto(pipeline);
      await page.getByText('Passed').first().waitFor();
      await page.getByRole('link', { name: 'attempt 1' }).click();
      await page.getByText('error: the grate is missing').waitFor();
    }),
  );
  await check(setup, 'a log of 50,000 lines can be read and searched', async () => {
    const address = await runner.runLongJob();
    await withPage(setup, { storageState: setup.session }, async (page) => {
      const { end, whole, cpu, longestTask } = await measureLongLog(page, address);
      process.stdout.write(
        `a log of 50,000 lines: its end after ${end.toFixed(1)} s, all of it after ${whole.toFixed(1)} s, ` +
          `${cpu.toFixed(1)} s of the processor, at most ${longestTask} ms at once\n`,
      );
      // Time of the processor, because other processes may keep the browser waiting.
      assert.ok(cpu < MAX_LOG_SECONDS, `${cpu} s of the processor`);
      assert.ok(longestTask <= MAX_TASK_MS, `a task took ${longestTask} ms of the processor`);
      assert.equal(await page.locator('.log-lines > div').count(), 50_000);
      assert.equal(await page.evaluate('find("line 25001 of the log", false, false, true)'), true);
    });
  });
}

/** The maximum processor time until a log of 50,000 lines is in its page. */
const MAX_LOG_SECONDS = 2.5;

/** Notes when lines of the log are there, with less work than a locator, and then changes the fragment of the address. */
const WATCH_LOG = `globalThis.logTimes = { end: 0, whole: 0 };
  const watch = () => {
    if (logTimes.end === 0 && document.querySelector('.log-lines > div') !== null) logTimes.end = performance.now() / 1000;
    if (document.getElementById('L50000') === null) return requestAnimationFrame(watch);
    logTimes.whole = performance.now() / 1000;
    location.hash = 'whole';
  };
  requestAnimationFrame(watch);`;

/** Opens a log of 50,000 lines. Returns when its end and all of it are there, and what the page uses of the processor: in seconds, and milliseconds of a task. */
export async function measureLongLog(page: Page, address: string) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(WATCH_LOG);
  const longestTask = await measureLongestTask(page, async () => {
    await page.goto(address, { waitUntil: 'commit' });
    await page.waitForURL(({ hash }) => hash === '#whole', { timeout: 120_000, waitUntil: 'commit' });
  });
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  const times = await page.evaluate<{ readonly end: number; readonly whole: number }>('logTimes');
  return { ...times, longestTask, cpu: metrics.find(({ name }) => name === 'TaskDuration')!.value };
}

const CI_FILE = 'compile: { script: [make] }\n';

/** Creates a project with a CI file, and a runner that takes its jobs. */
export async function createRunner({ base, post }: Setup) {
  const project = await post('/projects', { name: `pipelines-${Date.now()}` });
  await post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: CI_FILE,
    commit_message: 'Add a job [skip ci]',
  });
  const { token } = await post('/user/runners', { runner_type: 'project_type', project_id: project.id });
  const send = async (method: string, path: string, body: string | object, headers: Record<string, string> = {}) => {
    const isText = typeof body === 'string';
    const response = await fetch(`${base}/api/v4${path}`, {
      method,
      headers: { 'Content-Type': isText ? 'text/plain' : 'application/json', ...headers },
      body: isText ? body : JSON.stringify(body),
    });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response;
  };
  const takeJob = async () => {
    const response = await send('POST', '/jobs/request', { token, system_id: 's_journey' });
    assert.equal(response.status, 201, 'no job waits');
    const job = (await response.json()) as { readonly id: number; readonly token: string };
    let size = 0;
    return {
      async append(text: string) {
        const end = size + Buffer.byteLength(text);
        await send('PATCH', `/jobs/${job.id}/trace`, text, {
          'JOB-TOKEN': job.token,
          'Content-Range': `${size}-${end - 1}`,
        });
        size = end;
      },
      finish: (state: 'success' | 'failed') =>
        send('PUT', `/jobs/${job.id}`, { token: job.token, state, failure_reason: 'script_failure' }),
      address: `/${project.path_with_namespace}/-/jobs/${job.id}`,
    };
  };
  return {
    project: String(project.path_with_namespace),
    takeJob,
    /** Runs a job whose log has 50,000 lines, in 4.6 MB; returns its address. */
    async runLongJob(): Promise<string> {
      await post(`/projects/${project.id}/pipeline`, { ref: 'main' });
      const job = await takeJob();
      const lines = Array.from(
        { length: 50_000 },
        (_, index) => `\u001b[32mline ${index} of the log\u001b[0m ${'x'.repeat(60)}\n`,
      );
      for (let line = 0; line < lines.length; line += 10_000)
        await job.append(lines.slice(line, line + 10_000).join(''));
      await job.finish('success');
      return job.address;
    },
  };
}
