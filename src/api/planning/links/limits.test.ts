import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

test('an issue has at most a hundred links, also with concurrent requests', async () => {
  const { project, owner, server } = await world({ project: {} });
  const one = await newIssue(project);
  const others = await Promise.all(Array.from({ length: 5 }, () => newIssue(project)));
  // Ninety-eight links, inserted directly to save time.
  await server.services.database.transaction(async (tx) => {
    const { id: _id, ...row } = await tx
      .selectFrom('issues')
      .selectAll()
      .where('id', '=', one.id)
      .executeTakeFirstOrThrow();
    for (let iid = 1_000; iid < 1_098; iid++) {
      const { id } = await tx
        .insertInto('issues')
        .values({ ...row, iid })
        .returning('id')
        .executeTakeFirstOrThrow();
      const ends = iid % 2 ? { source_id: one.id, target_id: id } : { source_id: id, target_id: one.id };
      const times = { created_at: tx.now, updated_at: tx.now };
      await tx
        .insertInto('issue_links')
        .values({ ...ends, link_type: 'relates_to', ...times })
        .execute();
    }
  });
  const calls = others.map((other, index) => {
    const [from, target] = index % 2 ? [one, other] : [other, one];
    return owner.post(`${from.at}/links`, { target_project_id: project.id, target_issue_iid: target.iid });
  });
  const answers = await Promise.all(calls);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 422, 422, 422]);
  const text = /^#\d+ cannot be added: This issue would exceed the maximum number of linked issues \(100\)\.$/;
  for (const { status, body } of answers) if (status === 422) assert.match(body.message, text);
  assert.equal((await owner.get(`${one.at}/links`)).body.length, 100);
});

test('the free tier has no blocking links', async () => {
  const { project, owner } = await world({ env: { HEARTH_TIER: 'free' }, project: {} });
  const [one, other] = [await newIssue(project), await newIssue(project)];
  const input = { target_project_id: project.id, target_issue_iid: other.iid };
  for (const link_type of ['blocks', 'is_blocked_by']) {
    const { status, body } = await owner.post(`${one.at}/links`, { ...input, link_type });
    assert.deepEqual([status, body], [403, { message: 'Blocked issues not available for current license' }]);
  }
  await expectSuccess(
    owner.post(`${one.at}/links`, {
      ...input,
      target_project_id: (await owner.get(project.at)).body.path_with_namespace,
    }),
  );
});
