import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { type Started, startThrough } from './process-spawner.ts';
import type { Wanted } from './process-spawner-messages.ts';
import { signalGroup } from './signal-process-group.ts';

/** Returns the directories in which git is looked for. */
export function gitPath(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
}

export function start(wanted: Wanted): Started {
  return startThrough(wanted) ?? startHere(wanted);
}

/** Starts a process of this one, without the small process that starts others. */
export function startHere({ file, args, env, streams }: Wanted): Started {
  const stdio = Array.from({ length: streams }, () => 'pipe' as const);
  const child = spawn(file, args, { cwd: '/', env, stdio, detached: true });
  const ended = new Promise<Awaited<Started['ended']>>((resolve) => {
    // Without a process there is no exit to wait for.
    child.on('error', (error) => child.pid === undefined && resolve({ error: error.message }));
    child.on('close', (code) => resolve({ code }));
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) signalGroup(child.pid, name);
  };
  return { pid: child.pid, streams: child.stdio as readonly unknown[] as Duplex[], signal, ended };
}
