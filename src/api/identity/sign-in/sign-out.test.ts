import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, signedInBrowser, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { anonymous } = here;

test('ends the session by POST and DELETE, signed in or not', async () => {
  const mira = await userWithPassword(here);
  for (const method of ['POST', 'DELETE']) {
    const visit = await signedInBrowser(here, mira);
    const cookie = visit.cookie();
    assert.equal((await visit.send('GET', '/user')).status, 200);
    const answer = await visit.send(method, '//users/sign_out');
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, '/users/sign_in');
    assert.equal(visit.cookie(), null, 'the browser forgets it');
    assert.equal((await browser(here, cookie).send('GET', '/user')).status, 401);
    assert.equal((await browser(here, cookie).get('//')).headers.location, '/users/sign_in');
    assert.equal((await anonymous.send(method, '//users/sign_out')).status, 302);
  }
});
