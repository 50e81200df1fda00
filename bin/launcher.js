// Finds the Node that Hearth runs on: the machine's own if it is new enough, else the one that npm installed.
// `node bin/launcher.js SCRIPT [ARGUMENT...]` runs a script with it; every npm script starts this way.
// `node bin/launcher.js` prints its path. Plain JavaScript that Node 20 can read.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIRED_MAJOR = 24;

/** Returns whether this process already runs on a Node that is new enough. */
export function isNodeSupported() {
  return Number(process.versions.node.split('.')[0]) >= REQUIRED_MAJOR;
}

/** Returns the path of a Node that is new enough. Without one, prints what is missing and exits with 1. */
export function findNode() {
  if (isNodeSupported()) return process.execPath;
  const { platform, arch } = process;
  const require = createRequire(import.meta.url);
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]) {
    try {
      const path = join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
      if (existsSync(path)) return path;
    } catch {
      // Not a package of this platform, or optional dependencies were left out.
    }
  }
  return exitWith(
    `Hearth needs Node ${REQUIRED_MAJOR} or newer, and this is ${process.version}. Run "npm install" with optional ` +
      `dependencies, which include Node ${REQUIRED_MAJOR} for most platforms, or install Node ${REQUIRED_MAJOR} yourself: ` +
      `there may be no package for ${platform}-${arch}.`,
  );
}

/** Replaces this process with `node args`. Node 20 cannot: there, a child gets all signals and decides the exit code. */
export function runNode(node, args) {
  const all = [...process.execArgv, ...args];
  if (process.execve) process.execve(node, [node, ...all], process.env);
  const child = spawn(node, all, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => exitWith(`Cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Prints one line to standard error and exits with 1. */
export function exitWith(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const node = findNode();
  const script = process.argv.slice(2);
  if (script.length === 0) process.stdout.write(`${node}\n`);
  else runNode(node, script);
}
