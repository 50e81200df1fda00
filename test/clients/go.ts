// Go clients, built from the public module proxy into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoProgram {
  /** The package of the program, which is the module too. */
  readonly package: string;
  readonly version: string;
  /** Modules that a proxy may have no more, by others that stand in for them. */
  readonly replace?: readonly string[];
  /** The file of a program of ours that is made with the module, which is no program itself. */
  readonly source?: string;
}

/**
 * The program, that of the machine if it has one, else built once and kept in the folder; or why there is none.
 * By a module of its own: what a program's module replaces is heard only in the module that is built.
 */
export function goProgram(name: string, folder: string, { package: path, version, replace, source }: GoProgram) {
  if (source === undefined && spawnSync(name, ['--version']).status === 0) return { program: name };
  const program = join(folder, name);
  const replaced = (replace ?? []).map((line) => `replace ${line}\n`).join('');
  const module = `module client\ngo 1.24\nrequire ${path} ${version}\n${replaced}`;
  const text = source === undefined ? '' : readFileSync(source, 'utf8');
  const madeOf = join(folder, 'made-of');
  if (existsSync(program) && existsSync(madeOf) && readFileSync(madeOf, 'utf8') === module + text) return { program };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), module);
  if (source !== undefined) writeFileSync(join(folder, 'main.go'), text);
  const what = source === undefined ? path : '.';
  const built = spawnSync('go', ['build', '-mod=mod', '-o', program, what], { cwd: folder, encoding: 'utf8' });
  if (built.error) return { reason: 'there is no Go here' };
  const errors = built.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('go: downloading'));
  if (built.status !== 0) return { reason: `Go cannot build it here: ${errors.slice(0, 2).join(' / ')}` };
  writeFileSync(madeOf, module + text);
  return { program };
}
