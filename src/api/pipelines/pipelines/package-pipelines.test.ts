import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Pipelines of a package; packages never exist (contract/runners.md §4.10).

const here = await world({ project: { with: ['guest', 'reporter'] } });
const { project, anonymous, guest, reporter } = here;

test('checks authentication, parameters, then permissions, and returns 404 for every package', async () => {
  const at = `${project.at}/packages/1/pipelines`;
  const stranger = await here.user();
  const job = await runningJob(here, project);
  const projectNotFound = { message: '404 Project Not Found' };
  const packageNotFound = { message: '404 Not found' };
  const cursor = Buffer.from('{"id":"7","_kd":"n"}').toString('base64url');
  for (const [caller, path, params, status, body] of [
    [anonymous, `${project.at}/packages/x/pipelines`, { per_page: 0 }, 401, { message: '401 Unauthorized' }],
    [stranger, `${project.at}/packages/x/pipelines`, {}, 400, { error: 'package_id is invalid' }],
    [stranger, at, { per_page: 0 }, 400, { error: 'per_page does not have a valid value' }],
    [stranger, at, { per_page: 21 }, 400, { error: 'per_page does not have a valid value' }],
    [stranger, at, { cursor: 'e30' }, 400, { error: 'cursor is invalid' }],
    [stranger, at, { per_page: 20, cursor }, 404, projectNotFound],
    [guest, at, {}, 403, { message: '403 Forbidden' }],
    [reporter, at, { per_page: 20, cursor }, 404, packageNotFound],
  ] as const) {
    const answer = await caller.get(path, params);
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
  }
  assert.deepEqual((await anonymous.get(at, {}, job.headers)).body, packageNotFound);
  await expectSuccess(project.owner.put(project.at, { packages_enabled: false }));
  assert.equal((await reporter.get(at)).status, 403);
});
