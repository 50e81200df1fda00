import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { jobRun } from '#test/support/job-run.ts';
import { world } from '#test/support/world.ts';
import { createApplication } from './applications.ts';
import { cleanUpOAuthJob } from './authorization-codes.ts';

const here = await world();
const { root, anonymous, clock, server } = here;
const { database } = server.services;

const sweep = () => cleanUpOAuthJob.handle({ database }, {}, jobRun());

async function pair(fields: Readonly<Record<string, string>>) {
  const { status, body, text } = await anonymous.post('//oauth/token', fields);
  assert.equal(status, 200, text);
  return body as { access_token: string; refresh_token: string };
}

async function isKnown(access_token: string): Promise<boolean> {
  return (await anonymous.get('/user', { access_token })).body.error === 'invalid_token';
}

test('deletes tokens revoked or unrenewable for a month, or not renewed for a year', async () => {
  const { username } = await userWithPassword(here);
  const byPassword = { grant_type: 'password', username, password: PASSWORD };
  const order = { name: 'app', redirect_uri: 'https://app.test/cb', scopes: 'api' };
  const { application_id: client_id, secret: client_secret } = (await root.post('/applications', order)).body;
  const [revoked, left, renewed] = [await pair(byPassword), await pair(byPassword), await pair(byPassword)];
  await anonymous.post('//oauth/revoke', { token: revoked.access_token });
  await pair({ grant_type: 'client_credentials', client_id, client_secret });
  const count = async () => (await database.reader.selectFrom('oauth_tokens').select('id').execute()).length;
  clock.advance(29 * 86_400);
  await sweep();
  assert.equal(await count(), 4);
  assert.ok(await isKnown(revoked.access_token), 'it is told that it was revoked');
  clock.advance(86_400);
  await sweep();
  assert.deepEqual([await count(), await isKnown(revoked.access_token)], [2, false]);
  const refresh = ({ refresh_token }: { refresh_token: string }) =>
    anonymous.post('//oauth/token', { grant_type: 'refresh_token', refresh_token });
  const again = (await refresh(renewed)).body;
  clock.advance(335 * 86_400);
  await sweep();
  assert.equal(await count(), 1, 'the one that was renewed');
  assert.deepEqual([(await refresh(left)).status, (await refresh(again)).status], [400, 200]);
});

test('deletes codes that expired a month ago', async () => {
  const order = { name: 'app', redirectUris: ['https://app.test/cb'], scopes: ['api'], confidential: true };
  const { application } = await database.transaction((tx) => createApplication(tx, order));
  const now = clock.now().getTime();
  const at = (seconds: number) => new Date(now + (seconds - 30 * 86_400) * 1000).toISOString();
  await database.transaction((tx) =>
    tx
      .insertInto('oauth_grants')
      .values(
        [0, 1].map((left) => ({
          digest: `digest-${left}`,
          application_id: application.id,
          user_id: 1,
          scopes: '[]',
          redirect_uri: 'https://app.test/cb',
          created_at: at(left - 600),
          expires_at: at(left),
        })),
      )
      .execute(),
  );
  await sweep();
  const rows = await database.reader.selectFrom('oauth_grants').select('digest').execute();
  assert.deepEqual(rows, [{ digest: 'digest-1' }]);
});
