// Proves what the README promises to a new user: in a clean clone with an empty HOME, under old and new versions of npm and
// Node, the commands of "Start" and the tour work when they are pasted, without warnings, and leave the checkout clean.
// Plain JavaScript for Node 20: it runs before anything is installed. Usage: node test/first-run/run.js [TOOLS]
// TOOLS is the folder for the versions of npm and Node, which are packages of the registry.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'hearth-first-run-'));
const tools = process.argv[2] ?? join(scratch, 'tools');
const packagedNode = (major) => `node-${process.platform}-${process.arch}@${major}`;

/** The newest npm does not run on Node 20. */
const COMBINATIONS = [
  { npm: 'npm@10.8.2', node: null },
  { npm: 'npm@10.8.2', node: packagedNode(22) },
  { npm: 'npm@latest', node: packagedNode(24) },
];

try {
  for (const combination of COMBINATIONS) await prove(combination);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function prove({ npm, node }) {
  const path = mkdtempSync(join(scratch, 'path-'));
  symlinkSync(join(toolFolder(npm), 'node_modules/npm/bin/npm-cli.js'), join(path, 'npm'));
  if (node) symlinkSync(join(toolFolder(node), 'node_modules', packageName(node), 'bin/node'), join(path, 'node'));
  const home = mkdtempSync(join(scratch, 'home-'));
  const clone = join(home, 'hearth');
  const port = await freePort();
  const env = {
    HOME: home,
    PATH: `${path}:${process.env.PATH}`,
    HEARTH_PORT: String(port),
    npm_config_globalconfig: machineConfig(),
    npm_config_cache: join(tools, 'cache'),
    npm_config_update_notifier: 'false',
  };
  const run = (command) => runQuietly(command, { cwd: clone, env });

  execFileSync('git', ['clone', '--quiet', root, clone]);
  const name = `${npm}, Node ${execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim()}`;
  const steps = ['npm ci', 'npm run where GET /projects/7/repository/branches', 'npm install', 'npm pack'];
  for (const step of steps) {
    run(step);
    assert.equal(run('git status --porcelain'), '', `${name}: "${step}" leaves a change`);
  }
  await start(codeBlock('sh'), { cwd: clone, env }, port, () => {
    const output = run(`set -e\n${codeBlock('sh tour').replaceAll(':8080', `:${port}`)}`);
    assert.match(output, /"path_with_namespace":"root\/hearth"/);
    assert.match(output, /"file_path":"greeting.txt","branch":"main"/);
    assert.match(output, /"name":"main"/);
  });
  assert.equal(run('git status --porcelain'), '', `${name}: the tour leaves a change`);
  console.log(`first run: works with ${name}`);
}

/** Runs the commands of the README's "Start", calls `use` when the server is ready, and stops npm by a signal. */
async function start(commands, options, port, use) {
  const last = commands.trimEnd().split('\n').at(-1);
  const child = spawn('bash', ['-c', commands.replace(last, `exec ${last}`)], { ...options, stdio: 'pipe' });
  const closed = once(child, 'close');
  let output = '';
  try {
    await new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          output += text;
          if (output.includes('Hearth is ready')) resolve();
        });
      }
      closed.then(() => reject(new Error(`The server ended before it was ready:\n${output}`)));
    });
    assertNoWarnings(commands, output);
    use();
  } finally {
    child.kill('SIGTERM');
  }
  await closed;
  // Fails if a process is left that listens there.
  await listenOn(port);
}

function runQuietly(command, options) {
  const output = execFileSync('bash', ['-c', `${command} 2>&1`], { ...options, encoding: 'utf8', maxBuffer: 1 << 26 });
  assertNoWarnings(command, output);
  return output;
}

function assertNoWarnings(command, output) {
  assert.doesNotMatch(output, /\bwarn(ing)?\b|"level":"(warn|error)"/i, `"${command}" warns`);
}

/** Returns the content of the README's first code block that is marked with these words. */
function codeBlock(mark) {
  const block = new RegExp(`^\`\`\`${mark}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(readme);
  assert.ok(block, `README.md has no block \`\`\`${mark}`);
  return block[1];
}

/** Installs a package of the registry once and returns the folder that has it in `node_modules`. */
function toolFolder(specifier) {
  const folder = join(tools, specifier);
  if (existsSync(join(folder, 'node_modules'))) return folder;
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefix', folder, specifier]);
  return folder;
}

function packageName(specifier) {
  return specifier.slice(0, specifier.lastIndexOf('@'));
}

/** The machine's own configuration of npm (proxies, certificates) is not part of the user's HOME. */
function machineConfig() {
  return execFileSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' }).trim();
}

async function freePort() {
  return listenOn(0);
}

async function listenOn(port) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: actual } = server.address();
  server.close();
  await once(server, 'close');
  return actual;
}
