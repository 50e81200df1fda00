#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=8192 node --min-semi-space-size=8 --max-semi-space-size=8
// Starts Hearth on the Node that it needs, see launcher.js. In a checkout it makes the bundle first when a source is newer.
// Plain JavaScript that Node 20 can read.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { exitWith, findNode, isNodeSupported, runNode } from './launcher.js';

const script = fileURLToPath(import.meta.url);
const root = dirname(dirname(script));
const bundle = join(root, 'dist', 'hearth.js');

if (isNodeSupported()) await run();
else runNode(findNode(), [script, ...process.argv.slice(2)]);

async function run() {
  if (existsSync(join(root, 'src')) && !isFresh()) makeBundle();
  // Collects garbage when the heap has grown by 40 % over what is in use. By default it may double and more, which costs
  // 80 MB under load and saves little time.
  setFlagsFromString('--heap-growing-percent=40');
  // Caches compiled code for the next start, which then takes a quarter less. Does nothing where it cannot write.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'hearth-compile'));
  await import(pathToFileURL(bundle).href);
}

/** Returns whether the bundle exists and is newer than its sources. Folders count too: their time shows removed files. */
function isFresh() {
  const made = modified(bundle);
  if (made === 0) return false;
  const others = ['src', 'package.json', 'package-lock.json', 'scripts/bundle.ts', 'scripts/bundler.ts'];
  if (others.some((path) => modified(join(root, path)) > made)) return false;
  return isOlder(join(root, 'src'), made) && isOlder(join(root, 'web'), made);
}

// Without `join` and without a recursive `readdirSync`, which joins too: hundreds of calls make the runtime compile `join`,
// which keeps 5 MB of memory.
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

// In a process of its own, so that the server does not keep the bundler's memory.
function makeBundle() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'bundle.ts')], { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  exitWith('Cannot bundle Hearth. In a checkout, install with the development dependencies: npm install');
}
