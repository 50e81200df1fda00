import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningJob } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';

// The pipelines of a package, of which there is none (contract/runners.md §4.10).

const here = await world({ project: { with: ['guest', 'reporter'] } });
const { project, anonymous, guest, reporter } = here;

test('who asks is told first who he is, then what is wrong, then what he may, and that there is no package', async () => {
  const at = `${project.at}/packages/1/pipelines`;
  const stranger = await here.user();
  const job = await runningJob(here, project);
  const hidden = { message: '404 Project Not Found' };
  const none = { message: '404 Not found' };
  const cursor = Buffer.from('{"id":"7","_kd":"n"}').toString('base64url');
  for (const [by, path, params, status, body] of [
    [anonymous, `${project.at}/packages/x/pipelines`, { per_page: 0 }, 401, { message: '401 Unauthorized' }],
    [stranger, `${project.at}/packages/x/pipelines`, {}, 400, { error: 'package_id is invalid' }],
    [stranger, at, { per_page: 0 }, 400, { error: 'per_page does not have a valid value' }],
    [stranger, at, { per_page: 21 }, 400, { error: 'per_page does not have a valid value' }],
    [stranger, at, { cursor: 'e30' }, 400, { error: 'cursor is invalid' }],
    [stranger, at, { per_page: 20, cursor }, 404, hidden],
    [guest, at, {}, 403, { message: '403 Forbidden' }],
    [reporter, at, { per_page: 20, cursor }, 404, none],
  ] as const) {
    const answer = await by.get(path, params);
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(params));
  }
  assert.deepEqual((await anonymous.get(at, {}, job.headers)).body, none);
  await done(project.owner.put(project.at, { packages_enabled: false }));
  assert.equal((await reporter.get(at)).status, 403);
});
