import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { toExitCode } from './exit-code.ts';
import { type SpawnedProcess, startInSpawner } from './process-spawner.ts';
import type { ProcessRequest } from './process-spawner-messages.ts';
import { signalGroup } from './signal-process-group.ts';

/** Returns the `PATH` in which git is looked up. */
export function getGitPath(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
}

/** Starts a process through the process spawner if it is available, otherwise directly. */
export function startProcess(request: ProcessRequest): SpawnedProcess {
  return startInSpawner(request) ?? startDirectly(request);
}

/** Starts a child process of the server itself, without the spawner. */
export function startDirectly({ file, args, env, streams }: ProcessRequest): SpawnedProcess {
  const stdio = Array.from({ length: streams }, () => 'pipe' as const);
  // A process group of its own, so that a signal also reaches the children.
  const child = spawn(file, args, { cwd: '/', env, stdio, detached: true });
  const ended = new Promise<Awaited<SpawnedProcess['ended']>>((resolve) => {
    // Without a process there is no exit to wait for.
    child.on('error', (error) => child.pid === undefined && resolve({ error: error.message }));
    child.on('close', (code, signal) => resolve({ code: toExitCode(code, signal) }));
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) signalGroup(child.pid, name);
  };
  return { pid: child.pid, streams: child.stdio as readonly unknown[] as Duplex[], signal, ended };
}
