import assert from 'node:assert/strict';
import { check, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Journeys through groups, members, settings and the home page. */
export async function checkNamespaces(setup: Setup): Promise<void> {
  await check(setup, 'a group with a subgroup and a project is created', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        await page.goto('/-/groups/new');
        await page.getByLabel('Name').fill('Kitchen Works');
        await page.getByLabel('Path').fill('kitchen');
        // A path that the user has written no longer follows the name.
        await page.getByLabel('Name').fill('Kitchen');
        await page.getByRole('button', { name: 'Create group' }).click();
        await page.getByRole('heading', { name: 'Kitchen', level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/groups/kitchen');
        await page.getByRole('link', { name: 'New subgroup' }).click();
        await page.getByLabel('Name').fill('Ovens');
        await page.getByRole('button', { name: 'Create group' }).click();
        await page.getByRole('heading', { name: 'Ovens', level: 1 }).waitFor();
        await page.getByRole('link', { name: 'New project' }).click();
        await page.getByLabel('Name').fill('Door');
        await page.getByRole('button', { name: 'Create project' }).click();
        await page.getByRole('heading', { name: 'Door', level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/kitchen/ovens/door');
        await page.getByRole('link', { name: 'Kitchen / Ovens' }).click();
        await page.getByRole('heading', { name: 'Ovens', level: 1 }).waitFor();
        await page.goto('/projects/new');
        await page.getByText('Group or user: root').click();
        await page.getByLabel('Search in group or user').fill('ovens');
        await page.getByRole('radio', { name: 'kitchen/ovens' }).click();
        await page.getByLabel('Name').fill('Flue');
        await page.getByRole('button', { name: 'Create project' }).click();
        await page.getByRole('heading', { name: 'Flue', level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/kitchen/ovens/flue');
      },
      // The repository has no tree yet.
      /status of 404/,
    ),
  );
  await check(setup, 'a member is added, changed and removed', () =>
    withPage(
      setup,
      { storageState: setup.session },
      async (page) => {
        const user = { username: 'jon', name: 'Jon Berg', email: 'jon@example.com', password: 'Kindling-4711' };
        await setup.post('/users', { ...user, skip_confirmation: true });
        await setup.post('/projects', { name: 'shared-stove' });
        await page.goto('/root/shared-stove/-/project_members');
        await page.getByRole('button', { name: 'Add a member' }).click();
        await page.getByLabel('Username').fill('nobody-has-this-name');
        await page.getByRole('button', { name: 'Add member' }).click();
        await page.getByText('404 User Not Found').waitFor();
        await page.getByLabel('Username').fill('jon');
        await page.getByLabel('Role').selectOption('Reporter');
        await page.getByRole('button', { name: 'Add member' }).click();
        await page.getByText('Reporter').waitFor();
        await page.getByRole('button', { name: 'Change Jon Berg' }).click();
        await page.getByLabel('Role').selectOption('Maintainer');
        await page.getByLabel('Expires on').fill('2099-03-01');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('until 2099-03-01').waitFor();
        await page.getByRole('button', { name: 'Remove Jon Berg' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click();
        await page.getByRole('link', { name: 'Jon Berg' }).waitFor({ state: 'detached' });
      },
      /status of 404/,
    ),
  );
  await check(setup, 'a project is renamed, and deleted after its path is entered', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await setup.post('/projects', { name: 'old-stove', visibility: 'internal' });
      await page.goto('/root/old-stove/-/settings');
      await page.getByLabel('Name').fill('New Stove');
      await page.getByLabel('Path', { exact: true }).fill('new-stove');
      await page.getByRole('form', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
      await page.waitForURL('**/root/new-stove/-/settings');
      await page.getByRole('link', { name: 'New Stove' }).waitFor();
      const features = page.getByRole('form', { name: 'Features' });
      await features.getByLabel('Wiki').selectOption('Nobody');
      await features.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The features were saved.').waitFor();
      // A form that is emptied chooses the saved values, not the first ones.
      assert.equal(await features.getByLabel('Wiki').inputValue(), 'disabled');
      assert.equal(await page.getByLabel('Visibility').inputValue(), 'internal');
      const confirmation = page.getByLabel('Enter root/new-stove to delete the project');
      await confirmation.fill('new-stove');
      await page.getByRole('button', { name: 'Delete project' }).click();
      await page.getByText('Enter the path of the project.').waitFor();
      await confirmation.fill('root/new-stove');
      await page.getByRole('button', { name: 'Delete project' }).click();
      await page.getByRole('heading', { name: 'Your work' }).waitFor();
    }),
  );
  await check(setup, 'a to-do item is marked as done on the home page', () =>
    withPage(setup, { storageState: setup.session }, async (page) => {
      await setup.post('/projects', { name: 'todo-stove' });
      await setup.post('/projects/root%2Ftodo-stove/issues', { title: 'Sweep the chimney' });
      await setup.post('/projects/root%2Ftodo-stove/issues/1/todo', {});
      await page.goto('/');
      await page.getByRole('button', { name: 'Done Sweep the chimney' }).click();
      await page.getByRole('button', { name: 'Done Sweep the chimney' }).waitFor({ state: 'detached' });
    }),
  );
}
