import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Repositories for benchmarks, and the baselines of git itself. */

const clean = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@hearth.test', '-c', 'init.defaultBranch=main'];

export function git(directory: string, ...args: string[]): Buffer {
  return execFileSync('git', [...identity, ...args], {
    cwd: directory,
    env: clean,
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

export function gitWithInput(directory: string, input: string, ...args: string[]): Buffer {
  return execFileSync('git', [...identity, ...args], { cwd: directory, env: clean, input, maxBuffer: 1 << 30 });
}

/** A history of `commits` on main, each changing one line of a file of 400 lines and one of 200 others; `branches` at its commits. */
export function makeRepository(directory: string, { commits, branches }: { commits: number; branches: number }): void {
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '-q');
  const lines = Array.from({ length: 400 }, (_, index) => `line ${index}`);
  const stream: string[] = [];
  for (let index = 0; index < commits; index++) {
    lines[(index * 37) % lines.length] = `line changed by ${index} ${'x'.repeat(index % 40)}`;
    const text = `${lines.join('\n')}\n`;
    const other = `content of ${index}\n`.repeat(20);
    stream.push(
      `commit refs/heads/main\ncommitter Bench <bench@hearth.test> ${1_700_000_000 + index * 60} +0000\ndata ${Buffer.byteLength(`Change ${index}`)}\nChange ${index}\n`,
      `M 100644 inline lib/blamed.txt\ndata ${Buffer.byteLength(text)}\n${text}\n`,
      `M 100644 inline src/dir${index % 20}/file${index % 200}.txt\ndata ${Buffer.byteLength(other)}\n${other}\n`,
    );
  }
  gitWithInput(directory, stream.join(''), 'fast-import', '--quiet');
  const ids = git(directory, 'rev-list', 'main').toString().trim().split('\n');
  const refs = Array.from(
    { length: branches },
    (_, index) => `create refs/heads/feature/${index} ${ids[index % ids.length]}\n`,
  );
  gitWithInput(directory, refs.join(''), 'update-ref', '--stdin');
}

/** Adds a commit with 50 MiB of incompressible data. */
export function addBulk(directory: string, mebibytes: number): void {
  git(directory, 'checkout', '-q', 'main');
  for (let index = 0; index < mebibytes; index++) {
    writeFileSync(join(directory, `bulk-${index}.bin`), crypto.getRandomValues(new Uint8Array(65_536)), { flag: 'w' });
    for (let more = 1; more < 16; more++) {
      writeFileSync(join(directory, `bulk-${index}.bin`), crypto.getRandomValues(new Uint8Array(65_536)), {
        flag: 'a',
      });
    }
  }
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'Bulk');
  // The baseline serves one pack, like a well-maintained repository.
  git(directory, 'gc', '-q');
}
