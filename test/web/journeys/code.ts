import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TOKEN } from '#test/crash/process.ts';
import { check, signIn, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Runs the commands of a page in a directory with one file, with a token as the password. */
async function runCommands(commands: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-push-'));
  const author = { GIT_AUTHOR_NAME: 'Mira', GIT_AUTHOR_EMAIL: 'mira@example.com' };
  const committer = { GIT_COMMITTER_NAME: 'Mira', GIT_COMMITTER_EMAIL: 'mira@example.com' };
  try {
    writeFileSync(join(directory, 'kiln.ts'), 'export const heat = 900;\n');
    const script = commands.replace('http://', `http://root:${TOKEN}@`);
    const env = { ...process.env, ...author, ...committer, GIT_TERMINAL_PROMPT: '0' };
    await promisify(execFile)('sh', ['-ec', script], { cwd: directory, env });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Journeys that create projects and change their files. */
export async function checkCode(setup: Setup): Promise<void> {
  await check(setup, 'a project is created, pushed by git and browsed', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        await page.goto('/projects/new');
        await page.getByLabel('Name').fill('The Third Kiln');
        assert.equal(await page.getByLabel('Path').inputValue(), 'the-third-kiln');
        await page.getByRole('button', { name: 'Create project' }).click();
        await page.getByRole('heading', { name: 'Push a folder' }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/root/the-third-kiln');
        await runCommands((await page.locator('pre').first().textContent())!);
        await page.reload();
        await page.getByRole('link', { name: 'kiln.ts' }).click();
        await page.getByText('export const heat = 900;').first().waitFor();
      },
      // The repository has no tree yet.
      /status of 404/,
    ),
  );
  await check(setup, 'a file is edited; an unsaved text stays, and the change of somebody else is found', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        await setup.post('/projects', { name: 'edited-stove', initialize_with_readme: true });
        const commit = (content: string) =>
          setup.post('/projects/root%2Fedited-stove/repository/commits', {
            branch: 'main',
            commit_message: 'Change the README file',
            actions: [{ action: 'update', file_path: 'README.md', content }],
          });
        page.on('dialog', (dialog) => void dialog.accept());
        await page.goto('/root/edited-stove/-/edit/main/README.md');
        await page.getByLabel('Content').fill('My fire\n');
        await page.reload();
        await page.getByText('Your unsaved text was restored.').waitFor();
        assert.equal(await page.getByLabel('Content').inputValue(), 'My fire\n');
        await commit('Their fire\n');
        await page.getByRole('button', { name: 'Commit' }).click();
        await page.getByText('has changed since you started editing it').waitFor();
        assert.equal(await page.getByLabel('Content').inputValue(), 'My fire\n');
        await page.getByRole('button', { name: 'replace their version' }).click();
        await page.getByText('Somebody has changed the file').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Commit' }).click();
        await page.getByRole('heading', { name: 'README.md' }).waitFor();
        await page.getByText('My fire').waitFor();
        assert.equal(new URL(page.url()).pathname, '/root/edited-stove/-/blob/main/README.md');
      },
      /status of 400/,
    ),
  );
  await check(setup, 'a sign-out removes unsaved texts, and the way back shows nothing of the project', () =>
    withPage(
      setup,
      {},
      async (page) => {
        await setup.post('/projects', { name: 'left-stove', initialize_with_readme: true });
        await signIn(page);
        page.on('dialog', (dialog) => void dialog.accept());
        await page.goto('/root/left-stove/-/edit/main/README.md');
        await page.getByLabel('Content').fill('My fire\n');
        const countDrafts = () =>
          page.evaluate<number>('Object.keys(sessionStorage).filter((key) => key.startsWith("hearth.draft")).length');
        assert.equal(await countDrafts(), 1);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        assert.equal(await countDrafts(), 0);
        await page.goBack();
        await page.getByRole('heading', { name: 'This page does not exist, or you cannot see it' }).waitFor();
      },
      /status of 404/,
    ),
  );
  await check(setup, 'a file is uploaded to a new branch, which becomes a merge request', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        await setup.post('/projects', { name: 'uploaded-stove', initialize_with_readme: true });
        await page.goto('/root/uploaded-stove/-/new/main');
        const form = page.getByRole('form', { name: 'Upload a file' });
        await form
          .getByLabel('File', { exact: true })
          .setInputFiles({ name: 'fire.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 10]) });
        await form.getByLabel('Commit to a new branch').check();
        await form.getByRole('textbox', { name: 'New branch' }).fill('feature/fire');
        await form.getByRole('button', { name: 'Upload' }).click();
        await page.getByRole('button', { name: 'Create a merge request into main' }).click();
        await page.waitForURL('**/root/uploaded-stove/-/merge_requests/1');
        await page.goto('/root/uploaded-stove/-/tree/main');
        await page.getByRole('button', { name: 'At main' }).click();
        await page.getByLabel('Search branches and tags').fill('feat');
        await page.getByRole('dialog').getByRole('link', { name: 'feature/fire' }).click();
        await page.getByRole('link', { name: 'fire.bin' }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/root/uploaded-stove/-/tree/feature/fire');
        assert.equal(await page.getByRole('dialog').count(), 0);
      },
      /status of 404/,
    ),
  );
  await check(setup, 'branches and tags are created and deleted, and a file is found by its name', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await setup.post('/projects', { name: 'tagged-stove', initialize_with_readme: true });
      await page.goto('/root/tagged-stove/-/branches');
      await page.getByRole('button', { name: 'New branch' }).click();
      await page.getByLabel('Name').fill('fix/door');
      await page.getByRole('button', { name: 'Create branch' }).click();
      await page.getByRole('link', { name: 'fix/door' }).waitFor();
      await page.getByRole('button', { name: 'Delete fix/door' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete branch' }).click();
      await page.getByRole('link', { name: 'fix/door' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Tags' }).click();
      await page.getByRole('button', { name: 'New tag' }).click();
      await page.getByLabel('Name').fill('v1');
      await page.getByLabel('Message').fill('The first release');
      await page.getByRole('button', { name: 'Create tag' }).click();
      await page.getByText('The first release').waitFor();
      await page.keyboard.press('t');
      await page.getByRole('combobox', { name: 'Find a file' }).fill('rdme');
      await page.getByRole('option', { name: 'README.md' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'README.md', level: 1 }).waitFor();
    }),
  );
}
