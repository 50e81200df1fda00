import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TransactionOptions } from '#database/database.ts';
import { expectSuccess, world } from '#test/support/world.ts';

const { project, owner, servers } = await world({ project: {} });

/** Returns the options of all transactions during `work`. */
async function watchTransactions(t: TestContext, work: () => Promise<unknown>): Promise<TransactionOptions[]> {
  const options: TransactionOptions[] = [];
  for (const { services } of servers) {
    const { transaction } = services.database;
    t.mock.method(services.database, 'transaction', (...args: Parameters<typeof transaction>) => {
      options.push(args[1] ?? {});
      return transaction(...args);
    });
  }
  await work();
  t.mock.restoreAll();
  return options;
}

const issue = `${project.at}/issues/${(await owner.post(`${project.at}/issues`, { title: 'Noted' })).body.iid}`;

const commit = (file: string) => ({
  branch: 'main',
  commit_message: 'Waits',
  actions: [{ action: 'create', file_path: file, content: 'c' }],
});

const REQUESTS: readonly [path: string, body: Record<string, unknown>][] = [
  [`${issue}/notes`, { body: 'Waits' }],
  [`${issue}/discussions`, { body: 'Waits' }],
  [`${project.at}/variables`, { key: 'WAITS', value: '1' }],
  [`${project.at}/triggers`, { description: 'Waits' }],
  ['/snippets', { title: 'Waits', visibility: 'private', files: [{ file_path: 'a', content: 'b' }] }],
  [`${project.at}/repository/commits`, commit('a')],
];

for (const [path, body] of REQUESTS) {
  test(`POST ${path.replaceAll(/\d+/g, 'N')} waits for locks on behalf of its client`, async (t) => {
    const options = await watchTransactions(t, () => expectSuccess(owner.post(path, body)));
    assert.ok(options.some(({ client }) => client != null));
    const withoutClient = options.filter(({ client, exemptFromLimit }) => client == null && exemptFromLimit !== true);
    assert.deepEqual(withoutClient, []);
  });
}

test('completes what a request has begun, whatever its client does', async (t) => {
  const options = await watchTransactions(t, () =>
    expectSuccess(owner.post(`${project.at}/repository/commits`, commit('b'))),
  );
  const { client, exemptFromLimit } = options.at(-1)!;
  assert.deepEqual([client ?? null, exemptFromLimit], [null, true]);
});
