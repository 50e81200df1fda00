import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns openapi.json with the URL of this server to anonymous callers', async () => {
  const { anonymous, server } = await world();
  const { status, body, headers } = await anonymous.get('/openapi.json');
  assert.equal(status, 200);
  assert.equal(body.openapi, '3.1.0');
  assert.deepEqual(body.servers, [{ url: server.address }]);
  assert.equal(body.paths['/api/v4/openapi.json'].get.operationId, 'getOpenApiDocument');
  assert.equal(body.paths['/api/docs'], undefined);
  const again = await anonymous.get('/openapi.json', undefined, { 'If-None-Match': String(headers.etag) });
  assert.equal(again.status, 304);
});

test('serves a self-contained page whose content security policy allows only its own code', async () => {
  const { anonymous } = await world();
  const { status, text, headers } = await anonymous.get('//api/docs');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.doesNotMatch(text, /https?:\/\/|src=|@import|url\(/);
  const policy = String(headers['content-security-policy']);
  for (const name of ['script', 'style']) {
    const inline = new RegExp(`<${name}>([\\s\\S]*)</${name}>`).exec(text)?.[1] ?? '';
    const digest = createHash('sha256').update(inline).digest('base64');
    assert.ok(policy.includes(`${name}-src 'sha256-${digest}'`), name);
  }
  assert.doesNotMatch(policy, /unsafe/);
});

test('serves a script that parses', async () => {
  const { anonymous } = await world();
  const { text } = await anonymous.get('//api/docs');
  const script = /<script>([\s\S]*)<\/script>/.exec(text)?.[1] ?? '';
  assert.ok(script.length > 1000);
  assert.doesNotThrow(() => new Function(script));
  for (const [, id = ''] of script.matchAll(/byId\('([\w-]+)'\)/g)) assert.ok(text.includes(`id="${id}"`), id);
});
