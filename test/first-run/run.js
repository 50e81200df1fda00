// Proves what the README promises to a new user: in a clean clone with an empty HOME, under old and new versions of npm and
// Node, the commands of "Start" and the tour work when they are pasted, without warnings, and leave the checkout clean.
// Plain JavaScript for Node 20: it runs before anything is installed. Usage: node test/first-run/run.js [TOOLS [RECORD]]
// TOOLS is the folder for the versions of npm and Node, which are packages of the registry. RECORD is a file for the commands
// and their output, such as test/first-run/record.md.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const scratch = mkdtempSync(join(tmpdir(), 'hearth-first-run-'));
const [tools = join(scratch, 'tools'), recordFile] = process.argv.slice(2);
const records = [];
const packagedNode = (major) => `node-${process.platform}-${process.arch}@${major}`;

/** The newest npm does not run on Node 20. */
const COMBINATIONS = [
  { npm: 'npm@10.8.2', node: null },
  { npm: 'npm@10.8.2', node: packagedNode(22) },
  { npm: 'npm@latest', node: packagedNode(24) },
];

/** A line of `npm pack` about a file whose name contains the hash of its content: more than a hundred, which the record omits. */
const HASHED_NAME = /^npm notice \S+ dist\/.+-[A-Z0-9]{8}\.\w+/;

/** Characters of a line in the record. */
const MAX_LINE = 200;

const RECORD_TITLE = `# First run

What a new user sees who pastes the commands of the README into a clean clone with an empty HOME: the output of
\`node test/first-run/run.js TOOLS test/first-run/record.md\`. Long lines are cut off, and the files of the package
with a hash in their name omitted. The package comes from \`npm pack\` instead of the registry.
`;

try {
  for (const combination of COMBINATIONS) await prove(combination);
  if (recordFile !== undefined) writeFileSync(recordFile, `${RECORD_TITLE}\n${records.join('\n')}`);
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
  const lines = [];
  const record = (command, output) => {
    const text = `$ ${command}\n${output}`.replaceAll(home, '~').replaceAll(`:${port}`, ':8080').trimEnd();
    const shown = text.split('\n').filter((line) => !HASHED_NAME.test(line));
    lines.push(...shown.map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}...` : line)));
  };
  const run = (command) => {
    const output = runQuietly(command, { cwd: clone, env });
    record(command, output);
    return output;
  };

  execFileSync('git', ['clone', '--quiet', root, clone]);
  const versionOf = (program) => execFileSync(program, ['--version'], { env, encoding: 'utf8' }).trim();
  const name = `npm ${versionOf('npm')}, Node ${versionOf('node')}`;
  const steps = ['npm ci', 'npm run where GET /projects/7/repository/branches', 'npm install', 'npm pack'];
  for (const step of steps) {
    run(step);
    assert.equal(run('git status --porcelain'), '', `${name}: "${step}" leaves a change`);
  }
  runGlobalInstallation({ clone, home, env, record });
  await start(codeBlock('sh'), { cwd: clone, env }, { port, ready: 'Hearth is ready' }, (startOutput) => {
    record(codeBlock('sh').trimEnd().replaceAll('\n', '\n$ '), startOutput);
    const output = paste(codeBlock('sh tour').replaceAll(':8080', `:${port}`), { cwd: clone, env });
    record('# in a second terminal', output);
    assert.match(output, /"path_with_namespace":"root\/hearth"/);
    assert.match(output, /"file_path":"greeting.txt","branch":"main"/);
    assert.match(output, /"name":"main"/);
  });
  await lookAround({ clone, env, record });
  assert.equal(run('git status --porcelain'), '', `${name}: the tour leaves a change`);
  records.push(`## ${name}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`);
  console.log(`first run: works with ${name}`);
}

/** Installs the package as the README says, from the file that `npm pack` has made, and runs its command. */
function runGlobalInstallation({ clone, home, env, record }) {
  const [, name] = /npm install --global (\S+)/.exec(readme);
  const { version } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const archive = `./${name.slice(1).replace('/', '-')}-${version}.tgz`;
  const globalEnv = { ...env, npm_config_prefix: join(home, '.npm'), PATH: `${join(home, '.npm/bin')}:${env.PATH}` };
  for (const command of [`npm install --global ${archive}`, 'hearth --help', 'hearth --version']) {
    const output = runQuietly(command, { cwd: clone, env: globalEnv });
    record(command, output);
    if (command === 'hearth --version') assert.ok(output.includes(version), output);
  }
}

/** Runs the example company of the README, which prints its sign-ins before it listens, and lists its projects. */
async function lookAround({ clone, env, record }) {
  const port = await freePort();
  const commands = codeBlock('sh demo').replace('HEARTH_PORT=8081', `HEARTH_PORT=${port}`);
  await start(commands, { cwd: clone, env }, { port, ready: 'Ctrl-C stops the server' }, (output) => {
    record(codeBlock('sh demo').trimEnd(), output.replaceAll(`:${port}`, ':8081'));
    const url = `http://127.0.0.1:${port}/explore`;
    const page = runQuietly(
      `curl --silent --fail --retry 60 --retry-connrefused --retry-delay 1 --header 'Accept: text/html' ${url}`,
      {
        cwd: clone,
        env,
      },
    );
    assert.match(page, /<title>Hearth/);
  });
}

/** Pastes lines into a shell, which reads and echoes one after another, as in a terminal. */
function paste(lines, options) {
  const output = execFileSync('bash', ['-c', 'exec 2>&1; exec bash -e -v'], {
    ...options,
    input: lines,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assertNoWarnings(lines, output);
  return output;
}

/** Runs commands of the README whose last one runs a server, calls `use` when it prints `ready`, and stops it by a signal. */
async function start(commands, options, { port, ready }, use) {
  const last = commands.trimEnd().split('\n').at(-1);
  const child = spawn('bash', ['-c', commands.replace(last, `exec env ${last}`)], { ...options, stdio: 'pipe' });
  const closed = once(child, 'close');
  let output = '';
  try {
    await new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          output += text;
          if (output.includes(ready)) resolve();
        });
      }
      closed.then(() => reject(new Error(`The server ended before it was ready:\n${output}`)));
    });
    assertNoWarnings(commands, output);
    use(output);
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
