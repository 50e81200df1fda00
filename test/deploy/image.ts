import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execute, findFreePort, readDeployFile, root, waitForPort, withScratch } from './tools.ts';

/**
 * Runs the steps of the Containerfile in directories instead of a container: both stages, with the commands for packages of
 * Debian and for users left out, then the entry point and the health check.
 */
export function checkImage(): Promise<void> {
  return withScratch(async (scratch) => {
    const image = readImage();
    const directories = Object.fromEntries(
      ['src', 'out', 'opt', 'data', 'bin'].map((name) => [name, join(scratch, name)]),
    );
    for (const directory of Object.values(directories)) mkdirSync(directory);
    const port = await findFreePort();
    const substitutes: Readonly<Record<string, string>> = {
      '/opt/hearth': join(directories.opt!, 'hearth'),
      '/var/lib/hearth': directories.data!,
      '/tmp': directories.out!,
      '/root/.npm': join(scratch, 'nothing'),
      ':8080': `:${port}`,
    };
    // In one pass: the directories of the test contain `/tmp` themselves.
    const pattern = new RegExp(Object.keys(substitutes).join('|').replaceAll('.', '\\.'), 'g');
    const substitute = (text: string) => text.replace(pattern, (found) => substitutes[found]!);
    // The base image has this Node as `node`.
    symlinkSync(process.execPath, join(directories.bin!, 'node'));
    const PATH = `${directories.bin}:${dirname(process.execPath)}:${process.env.PATH}`;
    const env = { ...process.env, PATH, HOME: scratch, BUILD_COMMIT: '0123456789a' };
    const copy =
      'cd "$0" && git ls-files --cached --others --exclude-standard -z | tar --null -T - -cf - | tar -C "$1" -xf -';
    await execute('sh', ['-c', copy, root, directories.src!]);
    for (const command of image.commands)
      await execute('sh', ['-c', substitute(command)], { cwd: directories.src!, env });
    const entryPoint = image.entryPoint.map(substitute);
    assert.match(await execute(entryPoint[0]!, ['--version'], { env }), /^hearth \d+\.\d+\.\d+ \(commit 0123456789a\)/);
    await serve(
      entryPoint,
      { ...env, ...image.env(substitute), HEARTH_PORT: String(port) },
      directories.data!,
      async () => {
        const [program, ...args] = image.healthCheck.map(substitute);
        await waitForPort(port);
        await execute(program!, args, { env });
      },
    );
    assert.ok(readdirSync(directories.data!).includes('hearth.sqlite3'));
  });
}

interface Image {
  /** The commands of both stages that need no package of Debian and no user. */
  readonly commands: readonly string[];
  readonly entryPoint: readonly string[];
  readonly healthCheck: readonly string[];
  env(substitute: (text: string) => string): Record<string, string>;
}

function readImage(): Image {
  const text = readDeployFile('Containerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ');
  const textsOf = (name: string) => [...text.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
  const [list = ''] = /\[.*\]/.exec(textsOf('HEALTHCHECK')[0]!) ?? [];
  return {
    commands: textsOf('RUN').filter((command) => !/^(apt-get|useradd)\b/.test(command)),
    entryPoint: [...JSON.parse(textsOf('ENTRYPOINT')[0]!), ...JSON.parse(textsOf('CMD')[0]!)],
    healthCheck: JSON.parse(list),
    env: (substitute) =>
      Object.fromEntries(
        [
          ...textsOf('ENV')
            .join(' ')
            .matchAll(/(\w+)=(\S+)/g),
        ].map(([, name = '', value = '']) => [name, substitute(value)]),
      ),
  };
}

async function serve(
  [program, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  directory: string,
  use: () => Promise<void>,
): Promise<void> {
  chmodSync(directory, 0o700);
  const child = spawn(program!, args, { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await use();
  } finally {
    child.kill('SIGTERM');
  }
  const [code] = await ended;
  assert.equal(code, 0, 'a stop by signal is a success');
}
