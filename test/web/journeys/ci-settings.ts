import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { check, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Journeys through what pipelines run with: schedules, variables, runners, trigger tokens and the check of CI files. */
export async function checkCiSettings(setup: Setup): Promise<void> {
  const project = await setup.post('/projects', { name: `settings-${Date.now()}` });
  await setup.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, {
    branch: 'main',
    content: 'compile: { script: [make] }\n',
    commit_message: 'Add a job [skip ci]',
  });
  const run = (name: string, path: string, steps: (page: Page) => Promise<void>) =>
    check(setup, name, () =>
      withPage(setup, { storageState: setup.session }, async (page) => {
        await page.goto(`/${project.path_with_namespace}/-/${path}`);
        await steps(page);
      }),
    );
  await run('a variable is added, shown, changed and deleted', 'variables', async (page) => {
    await page.getByRole('button', { name: 'Add a variable' }).click();
    await page.getByLabel('Key').fill('TOKEN');
    await page.getByLabel('Value', { exact: true }).fill('swordfish-swordfish');
    await page.getByLabel('Visibility').selectOption('masked');
    await page.getByRole('button', { name: 'Add the variable' }).click();
    await page.getByText('masked', { exact: true }).waitFor();
    assert.equal(await page.getByText('swordfish').count(), 0);
    await page.getByRole('button', { name: 'Show TOKEN' }).click();
    await page.getByText('swordfish-swordfish').waitFor();
    await page.getByRole('button', { name: 'Edit TOKEN' }).click();
    await page.getByLabel('Environments').fill('staging/*');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('environment staging/*').waitFor();
    await page.getByRole('button', { name: 'Delete TOKEN' }).click();
    await page.getByRole('button', { name: 'Delete the variable' }).click();
    await page.getByText('No variables').waitFor();
  });
  await run('a schedule is created, gets a variable, and runs', 'pipeline_schedules', async (page) => {
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByLabel('Description').fill('Nightly build');
    await page.getByRole('button', { name: 'Create the schedule' }).click();
    await page.getByRole('heading', { name: 'Nightly build' }).waitFor();
    await page.getByRole('button', { name: 'Set a variable' }).click();
    await page.getByLabel('Key').fill('SEASON');
    await page.getByLabel('Value').fill('winter');
    await page.getByRole('button', { name: 'Set the variable' }).click();
    await page.getByText('winter').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Pending').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the schedule' }).click();
    await page.getByText('No schedules').waitFor();
  });
  await run('a runner shows its token once, is paused and deleted', 'runners', async (page) => {
    await page.getByRole('button', { name: 'New runner' }).click();
    await page.getByLabel('Description').fill('own box');
    await page.getByLabel('Tags', { exact: true }).fill('linux, docker');
    await page.getByRole('button', { name: 'Create the runner' }).click();
    await page.getByText(/^Token of the runner: glrt-/).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    assert.equal(await page.getByText('glrt-').count(), 0);
    await page.getByRole('button', { name: /^Pause runner/ }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Edit runner/ }).click();
    assert.equal(await page.getByLabel('Tags', { exact: true }).inputValue(), 'linux, docker');
    await page.getByLabel('Longest run of a job').fill('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^Delete runner/ }).click();
    await page.getByRole('button', { name: 'Delete the runner' }).click();
    await page.getByText('own box').waitFor({ state: 'detached' });
  });
  await run('a trigger token is created and deleted', 'triggers', async (page) => {
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Description').fill('From the factory');
    await page.getByRole('button', { name: 'Create the token' }).click();
    await page.getByText(/^glptt-/).waitFor();
    await page.getByRole('button', { name: 'Delete From the factory' }).click();
    await page.getByRole('button', { name: 'Delete the token' }).click();
    await page.getByText('No tokens').waitFor();
  });
  await run('a CI file is checked', 'ci/lint', async (page) => {
    await page.getByRole('button', { name: 'Insert the file of main' }).click();
    await page.getByLabel('Content of .gitlab-ci.yml').and(page.locator(':valid')).waitFor();
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: 'The file is valid' }).waitFor();
    await page.getByRole('rowheader', { name: 'compile' }).waitFor();
    await page.getByLabel('Content of .gitlab-ci.yml').fill('compile: { stage: nowhere, script: [make] }');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: 'The file is invalid' }).waitFor();
  });
}
