// Go clients, built from the public module proxy into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Program } from './program.ts';

export interface GoProgram {
  readonly module: string;
  readonly version: string;
  /** The folder of the main package in the module. Default: the module itself. */
  readonly main?: string;
  /** The file name of the program, where it is not the client's name. */
  readonly program?: string;
  /** Modules that a proxy may have no more, by others that stand in for them. */
  readonly replace?: readonly string[];
  /** The file of our own program, where the module is a library. */
  readonly source?: string;
  /** Files that the module embeds but does not contain, because its own build generates them. */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Returns the program of the machine if it has one with the client's name, else the program that Go builds once in the folder.
 * The build has its own module, because Go ignores the replacements of any other module.
 */
export function goProgram(
  name: string,
  folder: string,
  { module, version, main = '', program: fileName = name, replace = [], source, files }: GoProgram,
): Program {
  if (source === undefined && spawnSync(name, ['--version']).status === 0) return { program: name };
  const program = join(folder, fileName);
  const replaced = [...replace, ...(files ? [`${module} => ./module`] : [])]
    .map((line) => `replace ${line}\n`)
    .join('');
  const moduleFile = `module client\ngo 1.24\nrequire ${module} ${version}\n${replaced}`;
  const text = source === undefined ? '' : readFileSync(source, 'utf8');
  const content = moduleFile + text + JSON.stringify(files ?? {});
  const contentFile = join(folder, 'made-of');
  if (existsSync(program) && existsSync(contentFile) && readFileSync(contentFile, 'utf8') === content)
    return { program };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), moduleFile);
  if (source !== undefined) writeFileSync(join(folder, 'main.go'), text);
  if (files) {
    const failure = copyModule(folder, `${module}@${version}`, files);
    if (failure !== null) return { reason: failure };
  }
  const built = go(folder, 'build', '-mod=mod', '-o', program, source === undefined ? join(module, main) : '.');
  if (built !== null) return { reason: built };
  writeFileSync(contentFile, content);
  return { program };
}

/** Runs Go in the folder. Returns the reason of a failure, else null. */
function go(folder: string, ...args: readonly string[]): string | null {
  const { error, status, stderr } = spawnSync('go', args, { cwd: folder, encoding: 'utf8' });
  if (error) return 'there is no Go here';
  if (status === 0) return null;
  const errors = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('go: downloading'));
  return `Go cannot build it here: ${errors.slice(0, 2).join(' / ')}`;
}

/** Copies the module into `module` of the folder, with these files. Returns the reason of a failure, else null. */
function copyModule(folder: string, module: string, files: Readonly<Record<string, string>>): string | null {
  const { stdout, status } = spawnSync('go', ['mod', 'download', '-json', module], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) return `Go cannot download ${module} here`;
  const copy = join(folder, 'module');
  rmSync(copy, { recursive: true, force: true });
  cpSync((JSON.parse(stdout) as { Dir: string }).Dir, copy, { recursive: true });
  // The files of Go's cache are read-only.
  spawnSync('chmod', ['-R', 'u+w', copy]);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), content);
  }
  return null;
}
