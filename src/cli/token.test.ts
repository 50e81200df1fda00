import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '#config.ts';
import { world } from '#test/support/world.ts';
import { tokenCommand } from './token.ts';

test('creates a token while the server runs and prints only the secret', async () => {
  const { user, withToken, server } = await world();
  const mira = await user();
  const printed: string[] = [];
  const args = ['create', '--user', mira.username.toUpperCase(), '--name', 'cli', '--scopes', 'api,sudo'];
  await tokenCommand(args, server.services.config, (text) => printed.push(text));
  assert.match(printed.join(''), /^glpat-[\w-]{20}\n$/);
  const caller = withToken(mira, printed.join('').trim());
  const { body } = await caller.get('/personal_access_tokens/self');
  assert.deepEqual([body.name, body.scopes, body.user_id], ['cli', ['api', 'sudo'], mira.id]);
});

test('reports invalid arguments and creates no token', async () => {
  const { server, user } = await world();
  const { username, id } = await user();
  const good = { user: username, name: 'x', scopes: 'api' };
  const cases: readonly [object, RegExp][] = [
    [{ user: 'nobody' }, /There is no user nobody/],
    [{ user: 'ghost' }, /There is no user ghost/],
    [{ scopes: 'root' }, /--scopes takes/],
    [{ scopes: '' }, /--scopes takes/],
    [{ name: '' }, /^Usage: hearth token create/],
    [{ expires: 'soon' }, /--expires takes a date/],
    [{ expires: '2999-01-01' }, /--expires must be before/],
  ];
  for (const [changes, message] of cases) {
    const args = Object.entries({ ...good, ...changes }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const tried = tokenCommand(['create', ...args], server.services.config, () => assert.fail('printed'));
    await assert.rejects(tried, (error: unknown) => error instanceof ConfigError && message.test(error.message));
  }
  const tokens = await server.services.database.reader
    .selectFrom('access_tokens')
    .select('name')
    .where('user_id', '=', id)
    .execute();
  assert.deepEqual(tokens, [{ name: 'test' }]);
});
