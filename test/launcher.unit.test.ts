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

const bin = join(import.meta.dirname, '../bin');
const early = new Date('2026-01-01T00:00:00Z');
const late = new Date('2026-01-02T00:00:00Z');

/** Creates a directory like an installed package: the launcher, and a bundle that prints its arguments. */
async function place(t: TestContext) {
  const root = await mkdtemp(join(tmpdir(), 'hearth-launcher-'));
  t.after(() => rm(root, { recursive: true }));
  await cp(bin, join(root, 'bin'), { recursive: true });
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

/** Creates a directory with sources, whose bundler writes a bundle that prints `made`. */
async function checkout(t: TestContext) {
  const it = await place(t);
  await it.put('src/main.ts', '');
  await it.put('src/room/a.ts', '');
  await it.put('web/main.tsx', '');
  await utimes(join(it.root, 'src'), early, early);
  const script = `import { writeFileSync } from 'node:fs';
    writeFileSync(import.meta.dirname + '/../dist/hearth.js', 'console.log("made")');`;
  await it.put('scripts/bundle.ts', script);
  return it;
}

interface RunOptions {
  readonly preload?: string;
}

const run = (root: string, args: readonly string[] = [], options: RunOptions = {}) =>
  runScript(join(root, 'bin/hearth.js'), args, options);

async function runScript(script: string, args: readonly string[], { preload }: RunOptions) {
  const flags = preload ? ['--require', preload] : [];
  const child = spawn(process.execPath, [...flags, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '' },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code };
}

test('an installed package runs its bundle with the arguments', async (t) => {
  const { root } = await place(t);
  assert.deepEqual(await run(root, ['serve', '--x']), { out: 'bundle serve --x\n', err: '', code: 0 });
});

test('the first start fills the compile cache; a start that cannot write it works too', async (t) => {
  const { root } = await place(t);
  const compiled = () => globSync('node_modules/.cache/hearth-compile/*/*', { cwd: root });
  await run(root);
  assert.notEqual(compiled().length, 0);
  await rm(join(root, 'node_modules'), { recursive: true });
  await writeFile(join(root, 'node_modules'), 'nothing can be kept here');
  assert.deepEqual(await run(root, ['serve']), { out: 'bundle serve\n', err: '', code: 0 });
});

test('`npx hearth` runs with the environment and the flags of `npm start`', async () => {
  const [first = ''] = (await readFile(join(bin, 'hearth.js'), 'utf8')).split('\n');
  const [, variables, flags] = /^#!\/usr\/bin\/env -S (.*) node (.*)$/.exec(first) ?? [];
  const expected = `node=$(node bin/launcher.js) && ${variables} exec "$node" ${flags} bin/hearth.js serve`;
  assert.equal(packageJson.scripts.start, expected);
  // Older systems read only this part of the line.
  assert.ok(first.length < 127);
});

test('every npm script starts through the launcher', () => {
  for (const [name, script] of Object.entries(packageJson.scripts)) {
    for (const command of script.split(' && ').filter((part) => !part.startsWith('MALLOC_'))) {
      assert.match(command, /^(node=\$\()?node bin\/launcher\.js\b/, name);
    }
  }
});

test('a checkout whose bundle is newer than all sources does not bundle', async (t) => {
  const { root, put } = await checkout(t);
  await put('src/room/a.test.ts', '', late);
  assert.equal((await run(root)).out, 'bundle\n');
});

test('a checkout bundles when a source, a folder or the package is newer, or the bundle is missing', async (t) => {
  const changes: ((it: Awaited<ReturnType<typeof checkout>>) => Promise<unknown>)[] = [
    ({ put }) => put('web/main.tsx', '', late),
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
  assert.match(err, /Cannot bundle Hearth/);
});

/** Makes the first process believe that it is Node 20, which cannot replace itself; the one that it starts knows better. */
const asNode20 = `if (!process.env.PRETENDED) {
  process.env.PRETENDED = 'yes';
  Object.defineProperty(process.versions, 'node', { value: '20.9.0' });
  process.execve = undefined;
}`;

/** Creates a directory whose `node_modules` has a Node, and runs it with a process that reports Node 20. */
async function installedBesideNode20(t: TestContext) {
  const it = await place(t);
  await it.put('preload.cjs', asNode20);
  const name = `node_modules/node-${process.platform}-${process.arch}`;
  await it.put(`${name}/package.json`, '{}');
  await mkdir(join(it.root, name, 'bin'));
  await symlink(process.execPath, join(it.root, name, 'bin/node'));
  return { ...it, preload: join(it.root, 'preload.cjs'), node: join(it.root, name, 'bin/node') };
}

test('an older Node runs the one that npm installed, with arguments and exit code', async (t) => {
  const { root, put, preload } = await installedBesideNode20(t);
  await put('dist/hearth.js', 'console.log(process.versions.node, ...process.argv.slice(2)); process.exitCode = 7;');
  const { out, code } = await run(root, ['serve', 'a b'], { preload });
  assert.deepEqual([out, code], [`${process.versions.node} serve a b\n`, 7]);
});

test('the launcher prints the path of the Node that npm installed, and runs scripts with it', async (t) => {
  const { root, put, preload, node } = await installedBesideNode20(t);
  await put('script.js', 'console.log(process.versions.node, ...process.argv.slice(2)); process.exitCode = 5;');
  const script = join(root, 'bin/launcher.js');
  assert.deepEqual(await runScript(script, [], { preload }), { out: `${node}\n`, err: '', code: 0 });
  const { out, code } = await runScript(script, [join(root, 'script.js'), 'a b'], { preload });
  assert.deepEqual([out, code], [`${process.versions.node} a b\n`, 5]);
});

test('the launcher replaces itself where Node can', { skip: process.execve === undefined }, async (t) => {
  const { root, put } = await place(t);
  await put('script.js', 'console.log(process.pid);');
  const child = spawn(process.execPath, [join(root, 'bin/launcher.js'), join(root, 'script.js')]);
  assert.equal(await text(child.stdout), `${child.pid}\n`);
});

test('an older Node without a newer one in node_modules fails with a one-line message that names the required version', async (t) => {
  const { root, put } = await place(t);
  await put('preload.cjs', asNode20);
  const { out, err, code } = await run(root, ['serve'], { preload: join(root, 'preload.cjs') });
  assert.deepEqual([out, code], ['', 1]);
  assert.match(err, /^Hearth needs Node 24 or newer, and this is v.*\n$/);
});

test('signals reach the server under an older Node', async (t) => {
  const { root, put, preload } = await installedBesideNode20(t);
  await put(
    'dist/hearth.js',
    `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1e6); console.log('ready');`,
  );
  const args = ['--require', preload, join(root, 'bin/hearth.js')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: '' } });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [9, null]);
});
