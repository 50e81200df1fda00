#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=8192 node --max-semi-space-size=8
// Starts Hearth with the runtime it needs: the Node 24 that npm installed beside it, whatever `node` is on PATH.
// In a checkout it makes the bundle first when a source is newer. Plain JavaScript that older runtimes can read.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const neededMajor = 24;
const launcher = fileURLToPath(import.meta.url);
const root = dirname(dirname(launcher));
const bundle = join(root, 'dist', 'hearth.js');

if (Number(process.versions.node.split('.')[0]) >= neededMajor) await run();
else runWith(findNode());

async function run() {
  if (existsSync(join(root, 'src')) && !isFresh()) makeBundle();
  // The heap may grow by so much over what lives on it before it is collected; without a word it doubles and more, which
  // costs 80 MB under load and saves little time.
  setFlagsFromString('--heap-growing-percent=40');
  // What the runtime compiles of the bundle it keeps for the next start, which takes a quarter less; where it may not write
  // it goes without.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'hearth-compile'));
  await import(pathToFileURL(bundle).href);
}

/** Is the bundle there and nothing that it is made of newer? Folders count too: their time tells of removed files. */
function isFresh() {
  const made = modified(bundle);
  if (made === 0) return false;
  const others = ['src', 'package.json', 'package-lock.json', 'scripts/bundle.ts', 'scripts/bundled.ts'];
  if (others.some((path) => modified(join(root, path)) > made)) return false;
  return isOlder(join(root, 'src'), made);
}

// Without `join`, and folder by folder, because a recursive reading joins too: some hundred calls of it bring the
// runtime to compile it, which leaves 5 MB resident for good.
function isOlder(directory, made) {
  return readdirSync(directory, { withFileTypes: true }).every((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.name.endsWith('.test.ts')) return true;
    return modified(path) <= made && (!entry.isDirectory() || isOlder(path, made));
  });
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

// In a process of its own: the bundler's memory is not the server's.
function makeBundle() {
  const made = spawnSync(process.execPath, [join(root, 'scripts', 'bundle.ts')], { stdio: ['ignore', 2, 2] });
  if (made.status === 0) return;
  stop('Hearth could not be bundled. In a checkout, install with the development dependencies: npm install');
}

function findNode() {
  const { platform, arch } = process;
  const require = createRequire(import.meta.url);
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
      if (existsSync(path)) return path;
    } catch {
      // not for this platform, or optional dependencies were left out
    }
  }
  return stop(
    `Hearth needs Node ${neededMajor} or newer; this is ${process.version}. npm installs the right one beside Hearth ` +
      `unless optional dependencies are left out or there is none for ${platform}-${arch}.`,
  );
}

/** Runs this launcher again with another runtime, hands signals on and ends as it ends. */
function runWith(node) {
  const child = spawn(node, [...process.execArgv, launcher, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => stop(`${node} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
