import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { hashToken } from '#security/tokens.ts';
import { PASSWORD, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

// Nothing outlives a revocation, whichever process has made it: this one remembers nothing that the next request trusts.

const here = await world();
const { root, anonymous } = here;
const { config } = here.server.services;

/** Runs statements on the database in a process of its own, and returns when it has ended. */
async function elsewhere(...statements: readonly string[]): Promise<void> {
  const script = `
    import { sql } from 'kysely';
    import { openDatabase } from './src/database/database.ts';
    const [settings, ...statements] = JSON.parse(process.argv[1]);
    const database = await openDatabase({ ...settings, clock: { now: () => new Date() } });
    for (const statement of statements) await database.transaction((tx) => sql.raw(statement).execute(tx));
    await database.close();`;
  const settings = { url: config.databaseUrl ?? undefined, dataDir: config.dataDir };
  await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script, JSON.stringify([settings, ...statements])],
    { cwd: `${import.meta.dirname}/../..` },
  );
}

async function person() {
  const mira = await userWithPassword(here);
  const grant = { grant_type: 'password', username: mira.username, password: PASSWORD };
  const { access_token } = (await anonymous.post('//oauth/token', grant)).body;
  const visit = await signedInBrowser(here, mira);
  const ways = {
    token: () => mira.get('/projects'),
    oauth: () => anonymous.get('/user', {}, { authorization: `Bearer ${access_token}` }),
    session: () => visit.send('GET', '/user'),
  };
  const statuses = async () => [
    (await ways.token()).status,
    (await ways.oauth()).status,
    (await ways.session()).status,
  ];
  return { mira, access_token: access_token as string, cookie: visit.cookie() as string, statuses };
}

test('tokens and sessions that another process ends are rejected from the next request on', async () => {
  const { mira, access_token, cookie, statuses } = await person();
  for (let round = 0; round < 3; round++) assert.deepEqual(await statuses(), [200, 200, 200]);
  await elsewhere(
    `update access_tokens set revoked = true where digest = '${hashToken(mira.token as string)}'`,
    `update oauth_tokens set revoked_at = '2026-01-01T00:00:00.000Z' where digest = '${hashToken(access_token)}'`,
    `delete from sessions where digest = '${hashToken(cookie)}'`,
  );
  assert.deepEqual(await statuses(), [401, 401, 401]);
});

test('a user whom another process blocks is rejected at once, with every credential', async () => {
  const { mira, statuses } = await person();
  for (let round = 0; round < 3; round++) assert.deepEqual(await statuses(), [200, 200, 200]);
  await elsewhere(`update users set state = 'blocked' where id = ${mira.id}`);
  assert.deepEqual(await statuses(), [403, 403, 403]);
});

test('rejects them through the API too', async () => {
  const { mira, access_token, statuses } = await person();
  await root.post(`/users/${mira.id}/block`);
  assert.deepEqual(await statuses(), [403, 403, 403]);
  await root.post(`/users/${mira.id}/unblock`);
  assert.deepEqual((await statuses()).slice(0, 2), [200, 200]);
  await anonymous.post('//oauth/revoke', { token: access_token });
  await mira.delete('/personal_access_tokens/self');
  assert.deepEqual((await statuses()).slice(0, 2), [401, 401]);
});
