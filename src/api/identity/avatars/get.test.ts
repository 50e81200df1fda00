import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

test('returns the avatar of a user as an immutable SVG', async () => {
  const { root, anonymous } = await world();
  const { avatar_url } = (await root.get('/user')).body;
  const path = `/${new URL(avatar_url).pathname}`;
  const picture = await anonymous.get(path);
  assert.equal(picture.status, 200);
  assert.equal(picture.headers['content-type'], 'image/svg+xml');
  assert.equal(picture.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.match(picture.text, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" .*<\/svg>\n$/s);
  assert.equal((await anonymous.get(path)).text, picture.text);
  assert.notEqual((await anonymous.get('//-/avatars/0123456789abcdef.svg')).text, picture.text);
});

test('returns 404 for other files', async () => {
  const { anonymous } = await world();
  for (const file of ['0123456789abcdef.png', '0123456789ABCDEF.svg', '..%2F0123456789abcdef.svg', '0.svg']) {
    assert.equal((await anonymous.get(`//-/avatars/${file}`)).status, 404, file);
  }
});
