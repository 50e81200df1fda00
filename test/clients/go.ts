// Go clients, built from the public module proxy into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoProgram {
  /** The package of the program, which is the module too. */
  readonly package: string;
  readonly version: string;
  /** Modules that a proxy may have no more, by others that stand in for them. */
  readonly replace?: readonly string[];
}

/**
 * The program, that of the machine if it has one, else built once and kept in the folder; or why there is none.
 * By a module of its own: what a program's module replaces is heard only in the module that is built.
 */
export function goProgram(name: string, folder: string, { package: path, version, replace }: GoProgram) {
  if (spawnSync(name, ['--version']).status === 0) return { program: name };
  const program = join(folder, name);
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  const replaced = (replace ?? []).map((line) => `replace ${line}\n`).join('');
  writeFileSync(join(folder, 'go.mod'), `module client\ngo 1.22\nrequire ${path} ${version}\n${replaced}`);
  const built = spawnSync('go', ['build', '-mod=mod', '-o', program, path], { cwd: folder, encoding: 'utf8' });
  if (built.error) return { reason: 'there is no Go here' };
  const errors = built.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('go: downloading'));
  return built.status === 0 ? { program } : { reason: `Go cannot build it here: ${errors.slice(0, 2).join(' / ')}` };
}
