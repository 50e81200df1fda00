import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };

const launcher = join(import.meta.dirname, '../bin/hearth.js');
const early = new Date('2026-01-01T00:00:00Z');
const late = new Date('2026-01-02T00:00:00Z');

/** A place that looks like a package: the launcher, and a bundle that prints its arguments. */
async function place(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'hearth-launcher-'));
  t.after(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'bin'));
  await cp(launcher, join(root, 'bin/hearth.js'));
  const put = async (path: string, content: string, time = early) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
    await utimes(join(root, path), time, time);
    await utimes(dirname(join(root, path)), early, early);
  };
  await put('package.json', '{"type":"module"}');
  await put('dist/hearth.js', 'console.log("bundle", ...process.argv.slice(2));');
  return { root, put };
}

/** A place with sources, whose bundler makes a bundle that prints `made`. */
async function checkout(t: TestContext) {
  const it = await place(t);
  await it.put('src/main.ts', '');
  await it.put('src/room/a.ts', '');
  await utimes(join(it.root, 'src'), early, early);
  const script = `import { writeFileSync } from 'node:fs';
    writeFileSync(import.meta.dirname + '/../dist/hearth.js', 'console.log("made")');`;
  await it.put('scripts/bundle.ts', script);
  return it;
}

async function run(root: string, args: readonly string[] = [], options: { preload?: string; env?: object } = {}) {
  const flags = options.preload ? ['--require', options.preload] : [];
  const child = spawn(process.execPath, [...flags, join(root, 'bin/hearth.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '', ...options.env },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code };
}

test('an installed package runs its bundle with the arguments', async (t) => {
  const { root } = await place(t);
  assert.deepEqual(await run(root, ['serve', '--x']), { out: 'bundle serve --x\n', err: '', code: 0 });
});

test('what was compiled at one start is there at the next', async (t) => {
  const { root } = await place(t);
  const compiled = () => globSync('node_modules/.cache/hearth-compile/*/*', { cwd: root });
  await run(root);
  assert.notEqual(compiled().length, 0);
  await rm(join(root, 'node_modules'), { recursive: true });
  await writeFile(join(root, 'node_modules'), 'nothing can be kept here');
  assert.deepEqual(await run(root, ['serve']), { out: 'bundle serve\n', err: '', code: 0 });
});

test('the launcher called by its name runs as `npm start` does', async () => {
  const [first] = (await readFile(launcher, 'utf8')).split('\n');
  assert.equal(packageJson.scripts.start, `${first!.slice('#!/usr/bin/env -S '.length)} bin/hearth.js serve`);
  // Older systems read no more of it.
  assert.ok(first!.length < 127);
});

test('a checkout whose bundle is newer than all sources does not bundle', async (t) => {
  const { root, put } = await checkout(t);
  await put('src/room/a.test.ts', '', late);
  assert.equal((await run(root)).out, 'bundle\n');
});

test('a checkout bundles when a source, a folder or the package is newer, or the bundle is not there', async (t) => {
  const changes: ((it: Awaited<ReturnType<typeof checkout>>) => Promise<unknown>)[] = [
    ({ put }) => put('src/room/a.ts', '', late),
    ({ put }) => put('package.json', '{"type":"module"}', late),
    ({ root }) => utimes(join(root, 'src/room'), late, late),
    ({ root }) => rm(join(root, 'dist/hearth.js')),
  ];
  for (const change of changes) {
    const it = await checkout(t);
    await change(it);
    assert.equal((await run(it.root)).out, 'made\n', String(change));
  }
});

test('a bundler that fails stops the start', async (t) => {
  const { root, put } = await checkout(t);
  await put('scripts/bundle.ts', 'process.exit(3)', late);
  const { out, err, code } = await run(root);
  assert.deepEqual([out, code], ['', 1]);
  assert.match(err, /could not be bundled/);
});

/** Makes the first process believe that it is Node 20; the one that it starts knows better. */
const asNode20 = `if (!process.env.TOLD) {
  process.env.TOLD = 'yes';
  Object.defineProperty(process.versions, 'node', { value: '20.9.0' });
}`;

test('an older runtime hands over to the one that npm installed, with arguments and exit code', async (t) => {
  const { root, put } = await place(t);
  await put('preload.cjs', asNode20);
  await put('dist/hearth.js', 'console.log(process.versions.node, ...process.argv.slice(2)); process.exitCode = 7;');
  const name = `node_modules/node-${process.platform}-${process.arch}`;
  await put(`${name}/package.json`, '{}');
  await mkdir(join(root, name, 'bin'));
  await symlink(process.execPath, join(root, name, 'bin/node'));
  const { out, code } = await run(root, ['serve', 'a b'], { preload: join(root, 'preload.cjs') });
  assert.deepEqual([out, code], [`${process.versions.node} serve a b\n`, 7]);
});

test('an older runtime without a newer one beside it says what is needed', async (t) => {
  const { root, put } = await place(t);
  await put('preload.cjs', asNode20);
  const { out, err, code } = await run(root, ['serve'], { preload: join(root, 'preload.cjs') });
  assert.deepEqual([out, code], ['', 1]);
  assert.match(err, /^Hearth needs Node 24 or newer/);
});

test('signals reach the runtime that was handed over to', async (t) => {
  const { root, put } = await place(t);
  await put('preload.cjs', asNode20);
  await put(
    'dist/hearth.js',
    `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1e6); console.log('ready');`,
  );
  const name = `node_modules/node-${process.platform}-${process.arch}`;
  await put(`${name}/package.json`, '{}');
  await mkdir(join(root, name, 'bin'));
  await symlink(process.execPath, join(root, name, 'bin/node'));
  const args = ['--require', join(root, 'preload.cjs'), join(root, 'bin/hearth.js')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: '' } });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [9, null]);
});
