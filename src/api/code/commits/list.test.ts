import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitFileNamed } from '#git/objects/bombs.testing.ts';
import { world } from '#test/support/world.ts';

const ids = (answer: { body: { id: string }[] }) => answer.body.map(({ id }) => id);

test('lists commits newest first without a total', async () => {
  const { project, owner } = await world({ project: {} });
  const first = await project.commit({ 'a.txt': 'a' }, { at: 1_700_000_000 });
  const second = await project.commit({ 'a.txt': 'b' }, { at: 1_700_000_100 });
  const third = await project.commit({ 'a.txt': 'c' }, { at: 1_700_000_200 });
  const all = await owner.get(`${project.repository}/commits`);
  assert.deepEqual(ids(all), [third, second, first]);
  assert.equal('stats' in all.body[0], false);
  const page = await owner.get(`${project.repository}/commits`, { per_page: 1, page: 2 });
  assert.deepEqual(ids(page), [second]);
  const { headers } = page;
  assert.deepEqual(
    ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'].map((name) => headers[name]),
    ['2', '1', '3', '1', undefined, undefined],
  );
  assert.deepEqual(
    [...String(headers.link).matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
    ['prev', 'next', 'first'],
  );
  const last = await owner.get(`${project.repository}/commits`, { per_page: 1, page: 3 });
  assert.equal(last.headers['x-next-page'], '');
  const beyond = await owner.get(`${project.repository}/commits`, { page: Number.MAX_SAFE_INTEGER });
  assert.deepEqual([beyond.status, beyond.body], [200, []]);
});

test('accepts branches, tags, SHAs and ranges; an unknown ref gives an empty list', async () => {
  const { project, owner } = await world({ project: {} });
  const base = await project.commit({ 'a.txt': 'a' });
  const tip = await project.commit({ 'a.txt': 'b' }, { at: 1_700_000_100 });
  const side = await project.commit({ 'b.txt': 'b' }, { branch: 'side/way', parent: base, at: 1_700_000_200 });
  await project.point('refs/tags/v1', base);
  const list = async (params: object) => ids(await owner.get(`${project.repository}/commits`, { ...params }));
  assert.deepEqual(await list({ ref_name: 'side/way' }), [side, base]);
  assert.deepEqual(await list({ ref_name: 'v1' }), [base]);
  assert.deepEqual(await list({ ref_name: tip }), [tip, base]);
  assert.deepEqual(await list({ ref_name: 'main..side/way' }), [side]);
  assert.deepEqual(await list({ ref_name: '..side/way' }), [side]);
  assert.deepEqual(await list({ ref_name: 'side/way..' }), [tip]);
  assert.deepEqual(await list({ ref_name: '' }), [tip, base]);
  assert.deepEqual(await list({ ref_name: 'nowhere' }), []);
  assert.deepEqual(await list({ ref_name: 'nowhere..main' }), []);
  assert.deepEqual(await list({ ref_name: 'main:a.txt' }), []);
  assert.deepEqual(await list({ ref_name: 'f'.repeat(40) }), []);
  assert.deepEqual(await list({ all: true }), [side, tip, base]);
  for (const ref_name of ['--all', 'ma in']) {
    const refused = await owner.get(`${project.repository}/commits`, { ref_name });
    assert.deepEqual([refused.status, refused.body], [400, { message: 'ref_name is invalid' }]);
  }
});

test('includes the timestamps of since and until and rejects invalid ones', async () => {
  const { project, owner } = await world({ project: {} });
  const at = (text: string) => Date.parse(text) / 1000;
  const first = await project.commit({ 'a.txt': 'a' }, { at: at('2023-01-01T00:00:00Z') });
  const second = await project.commit({ 'a.txt': 'b' }, { at: at('2023-01-02T00:00:00Z') });
  const third = await project.commit({ 'a.txt': 'c' }, { at: at('2023-01-03T00:00:00Z') });
  const list = async (params: object) => ids(await owner.get(`${project.repository}/commits`, { ...params }));
  assert.deepEqual(await list({ since: '2023-01-02T00:00:00Z' }), [third, second]);
  assert.deepEqual(await list({ until: '2023-01-02T01:00:00+01:00' }), [second, first]);
  assert.deepEqual(await list({ since: '2023-01-02', until: '2023-01-02' }), [second]);
  for (const name of ['since', 'until']) {
    const refused = await owner.get(`${project.repository}/commits`, { [name]: 'yesterday' });
    assert.deepEqual([refused.status, refused.body], [400, { error: `${name} is invalid` }]);
  }
});

test('matches path and author literally', async () => {
  const { project, owner } = await world({ project: {} });
  const root = await project.commit({ 'dir/a.txt': 'a', '*.txt': 'star' });
  const star = await project.commit({ '*.txt': 'star 2' }, { at: 1_700_000_100 });
  const author = { name: 'A. (Odd) Name', email: 'odd+name@example.com' };
  const file = await project.commit({ 'dir/a.txt': 'b' }, { at: 1_700_000_200, author });
  const list = async (params: object) => ids(await owner.get(`${project.repository}/commits`, { ...params }));
  assert.deepEqual(await list({ path: '*.txt' }), [star, root]);
  assert.deepEqual(await list({ path: 'dir' }), [file, root]);
  assert.deepEqual(await list({ path: '/dir/a.txt' }), [file, root]);
  assert.deepEqual(await list({ path: ':(top)dir' }), []);
  for (const path of ['../x', 'dir/../dir', './dir', 'gone', '..']) assert.deepEqual(await list({ path }), [], path);
  assert.deepEqual(await list({ path: '' }), [file, star, root]);
  assert.deepEqual(await list({ author: 'odd+name@' }), [file]);
  assert.deepEqual(await list({ author: '(Odd)' }), [file]);
  assert.deepEqual(await list({ author: 'O.d' }), []);
  assert.deepEqual(await list({ author: 'jane@example.com', path: 'dir' }), [root]);
});

test('supports first_parent, order, with_stats and trailers', async () => {
  const { project, owner } = await world({ project: {} });
  const base = await project.commit({ 'a.txt': 'one\ntwo\n' });
  const message = 'Second\n\nBody\n\nSigned-off-by: A <a@x>\nSigned-off-by: B <b@x>\n';
  const second = await project.commit({ 'a.txt': 'one\nthree\nfour\n' }, { message, at: 1_700_000_100 });
  const plain = await owner.get(`${project.repository}/commits`, { first_parent: true, order: 'topo' });
  assert.deepEqual(ids(plain), [second, base]);
  assert.deepEqual(plain.body[0].trailers, {});
  const { body } = await owner.get(`${project.repository}/commits`, { with_stats: true, trailers: true });
  assert.deepEqual(
    body.map(({ stats }: { stats: object }) => stats),
    [
      { additions: 2, deletions: 1, total: 3 },
      { additions: 2, deletions: 0, total: 2 },
    ],
  );
  assert.deepEqual(body[0].trailers, { 'Signed-off-by': 'B <b@x>' });
  assert.deepEqual(body[0].extended_trailers, { 'Signed-off-by': ['A <a@x>', 'B <b@x>'] });
  const refused = await owner.get(`${project.repository}/commits`, { order: 'random' });
  assert.deepEqual([refused.status, refused.body], [400, { error: 'order does not have a valid value' }]);
});

test('returns an empty list for an empty repository, 404 if disabled and 403 to Guests', async () => {
  const { project, owner, guest, anonymous } = await world({ project: { with: ['guest'] } });
  assert.deepEqual((await owner.get(`${project.repository}/commits`)).body, []);
  assert.deepEqual((await guest.get(`${project.repository}/commits`)).body, { message: '403 Forbidden' });
  assert.deepEqual((await anonymous.get(`${project.repository}/commits`)).body, { message: '404 Project Not Found' });
  await owner.put(project.at, { repository_access_level: 'disabled' });
  const response = await owner.get(`${project.repository}/commits`);
  assert.deepEqual([response.status, response.body], [404, { message: '404 Repository Not Found' }]);
});

test('truncates long texts in lists but not in single commits', async () => {
  const { project, owner } = await world({ project: {} });
  const [name, message] = ['n'.repeat(300), `${'t'.repeat(300)}\n\n${'m'.repeat(1024 * 1024)}`];
  const id = await project.commit({ a: 'a' }, { message, author: { name, email: 'jane@example.com' } });
  const [listed] = (await owner.get(`${project.repository}/commits`)).body;
  assert.deepEqual([listed.author_name.length, listed.title.length, listed.message.length], [255, 255, 1024 * 1024]);
  const alone = (await owner.get(`${project.repository}/commits/${id}`)).body;
  assert.deepEqual([alone.author_name, alone.title.length, alone.message], [name, 300, message]);
  const odd = await project.store((git, repository) => commitFileNamed(git, repository, 'p'.repeat(5000)));
  await project.point('refs/heads/odd', odd);
  const [diff] = (await owner.get(`${project.repository}/commits/${odd}/diff`)).body;
  assert.deepEqual(
    [diff.new_path, diff.old_path].map(({ length }) => length),
    [4096, 4096],
  );
});
