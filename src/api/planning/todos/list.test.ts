import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';
import { describeTodos } from './fixtures.testing.ts';

const { user, newGroup, newProject } = await world();

test('filters to-do items by action, type, author, project and group', async () => {
  const group = await newGroup({ with: ['guest'] });
  const { guest, owner } = group;
  const below = await newGroup({ in: group });
  const [here, there] = [await newProject({ in: group }), await newProject({ in: below })];
  const [one, other] = [await newIssue(here, { assignee_ids: [guest.id] }), await newIssue(there)];
  await expectSuccess(guest.post(`${other.at}/todo`));
  const [first, second] = [`marked Issue ${other.iid}`, `assigned Issue ${one.iid}`];
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, [first, second]],
    [{ action: 'assigned' }, [second]],
    [{ action: 'ssh_key_expired' }, []],
    [{ action: 'added_approver' }, []],
    [{ action: 'okr_checkin_requested' }, []],
    [{ type: 'ComplianceManagement::Projects::ComplianceViolation' }, []],
    [{ type: 'Issue' }, [first, second]],
    [{ type: 'MergeRequest' }, []],
    [{ type: 'Project' }, []],
    [{ author_id: owner.id }, [second]],
    [{ project_id: there.id }, [first]],
    [{ group_id: group.id }, [first, second]],
    [{ group_id: below.id }, [first]],
    [{ state: 'done' }, []],
    [{ per_page: 1, page: 2 }, [second]],
  ];
  for (const [params, expected] of cases)
    assert.deepEqual(await describeTodos(guest, params), expected, JSON.stringify(params));
  for (const [name, value] of Object.entries({ action: 'x', state: 'all', type: 'Thing' })) {
    const { status, body } = await guest.get('/todos', { [name]: value });
    assert.deepEqual([status, body], [400, { error: `${name} does not have a valid value` }]);
  }
  const unknown = await guest.get('/todos', { author_id: 999_999 });
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Not found' }]);
});

test('neither lists nor counts unreadable items, and fills pages', async () => {
  const project = await newProject({ visibility: 'public' });
  const ada = await user();
  const issues = [await newIssue(project), await newIssue(project), await newIssue(project)];
  for (const { at } of issues) await expectSuccess(ada.post(`${at}/todo`));
  await expectSuccess(project.owner.put(issues[1]!.at, { confidential: true }));
  const { body, headers } = await ada.get('/todos', { per_page: 2 });
  assert.deepEqual([body.length, headers['x-total']], [2, '2']);
});
