import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { browser, PASSWORD, userWithPassword } from '#test/support/browser.ts';
import { world } from '#test/support/world.ts';
import { ADDRESSES } from '#web/addresses.ts';

// What the server adds for the web application (contract/web.md §1).

const scene = await world();
const { anonymous, server } = scene;
const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const get = (path: string, headers: Record<string, string> = HTML) => anonymous.send('GET', `/${path}`, { headers });

/** Returns the script and the style sheet of the application. */
async function findFiles(): Promise<{ script: string; style: string }> {
  const { text } = await get('/explore');
  const [, script = ''] = /<script type="module" src="([^"]+)">/.exec(text) ?? [];
  const [, style = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? [];
  return { script, style };
}

test('browsers get the shell at the address of each page', async () => {
  const { text } = await get('/explore?page=2');
  assert.doesNotMatch(text, /csrf-token|user-id/);
  for (const [name, { path, api }] of Object.entries(ADDRESSES)) {
    const page = await get(path.replace('*project', 'a/b').replace(/[:*]\w+/g, 'c'));
    assert.equal(page.status, 200, name);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8', name);
    const link = `${server.address}/api/v4${api.replace(':project', 'a%2Fb').replace(/:\w+/g, 'c')}`;
    assert.ok(String(page.headers.link).startsWith(`<${link}>`), name);
    const withoutLink = (shell: string) => shell.replace(/<noscript>.*<\/noscript>/, '');
    assert.equal(withoutLink(page.text), withoutLink(text), name);
  }
});

test('the address of the server may be written without a slash after its path', async () => {
  const elsewhere = await world({ env: { HEARTH_EXTERNAL_URL: 'https://code.test/forge' } });
  for (const path of ['//forge', '//forge/', '//']) {
    const { status, headers } = await elsewhere.anonymous.send('GET', path, { headers: HTML });
    assert.equal(status, 200, path);
    assert.match(String(headers.link), /^<https:\/\/code\.test\/forge\/api\/v4\/projects>/, path);
  }
});

test('the shell has a policy that allows only files of the server', async () => {
  const { headers } = await get('/explore');
  const policy = String(headers['content-security-policy']);
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.split('; ').includes(part), part);
  assert.doesNotMatch(policy, /unsafe|https?:/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'same-origin');
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
  assert.match(String(headers.link), new RegExp(`<${server.address}/api/v4/projects>; rel="alternate"`));
});

test('the shell of a user has the id and a CSRF token that the API accepts', async () => {
  const user = await userWithPassword(scene);
  const page = browser(scene);
  await page.signIn(user.username, PASSWORD);
  const { text } = await page.get('//explore', HTML);
  assert.match(text, new RegExp(`<meta name="user-id" content="${user.id}">`));
  const created = await page.send('POST', '/projects', {
    params: { name: scene.name() },
    headers: { 'X-CSRF-Token': page.csrfToken() },
  });
  assert.equal(created.status, 201);
});

test('for other clients the address of a page is an unknown path', async () => {
  for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }, { Accept: 'x-text/html-y' }]) {
    for (const path of ['/explore', '/a/b/-/branches']) {
      const { status, text } = await get(path, headers);
      assert.deepEqual([status, text], [404, '{"error":"404 Not Found"}']);
    }
  }
  assert.equal((await anonymous.send('POST', '//explore', { headers: HTML })).status, 404);
  assert.equal((await anonymous.send('OPTIONS', '//explore', { headers: HTML })).status, 404);
});

test('HEAD has the headers of the page', async () => {
  const { status, text, headers } = await anonymous.send('HEAD', '//explore', { headers: HTML });
  assert.deepEqual([status, text], [200, '']);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
});

test('files have a name with a hash, are compressed and stay in the cache', async () => {
  const { script, style } = await findFiles();
  const plain = await get(`/${script}`.replace('//', '/'), {});
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(plain.headers['content-encoding'], undefined);
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [accept, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
  ] as const) {
    const response = await fetchRaw(script, accept);
    assert.equal(response.headers.get('content-encoding'), encoding);
    assert.equal(response.headers.get('vary')?.includes('Accept-Encoding'), true);
    assert.equal(decoders[encoding](response.body).toString(), plain.text);
  }
  assert.equal((await get(style, {})).headers['content-type'], 'text/css; charset=utf-8');
});

/** Sends a request without the decoding of `fetch`. */
async function fetchRaw(path: string, acceptEncoding: string) {
  const { request } = await import('node:http');
  return new Promise<{ headers: Headers; body: Buffer }>((resolve, reject) => {
    request(`${server.address}${path}`, { headers: { 'Accept-Encoding': acceptEncoding } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const headers = new Headers(response.headers as Record<string, string>);
        resolve({ headers, body: Buffer.concat(parts) });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('no other file is served', async () => {
  for (const name of ['app-XXXXXXXX.js', 'package.json', '..%2Fhearth.js', 'app.js.br', 'icon.svg.gz'])
    assert.equal((await get(`/-/web/${name}`, {})).status, 404, name);
  assert.equal((await get('/-/web/icon.svg', {})).headers['content-type'], 'image/svg+xml');
});

test('the icon that browsers request by themselves is one', async () => {
  const { status, headers, bytes } = await get('/favicon.ico', {});
  assert.deepEqual([status, headers['content-type']], [200, 'image/vnd.microsoft.icon']);
  assert.equal(headers['cache-control'], 'public, max-age=3600');
  assert.deepEqual(bytes, await readFile(join(import.meta.dirname, '../../web/favicon.ico')));
});

test('crawlers stay out of the API', async () => {
  const { text, headers } = await get('/robots.txt', {});
  assert.match(headers['content-type']!, /^text\/plain/);
  assert.deepEqual(text.trimEnd().split('\n'), [
    'User-agent: *',
    'Disallow: /api/',
    'Disallow: /-/',
    'Disallow: /users/',
  ]);
});

test('an unknown path is a page for browsers, and JSON for others and below /api', async () => {
  const page = await get('/a/b/-/nothing');
  assert.equal(page.status, 404);
  assert.match(page.headers['content-type']!, /^text\/html/);
  assert.match(page.text, /This page does not exist/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  assert.equal((await get('/a/b/-/nothing', {})).text, '{"error":"404 Not Found"}');
  for (const path of ['/api/v4/nothing', '//api/v4/projects/0', '/api'])
    assert.match((await get(path)).headers['content-type']!, /^application\/json/, path);
});

test('the sign-in returns to the page of this server that the browser came from', async () => {
  const user = await userWithPassword(scene);
  const targets: [referer: string, target: string][] = [
    [`${server.address}/explore?page=2`, '/explore?page=2'],
    ['https://elsewhere.test/explore', '/'],
    [`${server.address}//elsewhere.test/`, '/'],
    ['nonsense', '/'],
  ];
  for (const [referer, target] of targets) {
    const page = browser(scene);
    await page.get('//users/sign_in?redirect_to_referer=yes', { Referer: referer });
    const { headers } = await page.submit('//users/sign_in', {
      'user[login]': user.username,
      'user[password]': PASSWORD,
    });
    assert.equal(headers.location, target, referer);
  }
});
