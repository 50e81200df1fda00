// Programs of Debian: of the release that the machine has, or, beside it, of a later one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DebianPackage {
  readonly name: string;
  /** The command that tells whether it is there. */
  readonly probe: readonly string[];
}

/** Whether the package is there, installed now if need be. */
export function installFromDebian({ name, probe }: DebianPackage): boolean {
  const there = () => spawnSync(probe[0]!, probe.slice(1)).status === 0;
  if (there()) return true;
  if (process.getuid?.() !== 0) return false;
  spawnSync('apt-get', ['update', '-qq']);
  spawnSync('apt-get', ['install', '-y', '-qq', name]);
  return there();
}

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The program, that of the machine if it has one, else one of a later Debian, taken out of its package into the folder; or
 * why there is none. From where the machine has its own packages, checked by apt with Debian's keys, and installed nowhere.
 */
export function programOfDebian(
  name: string,
  folder: string,
  release: string,
): { program: string } | { reason: string } {
  if (spawnSync(name, ['--version']).status === 0) return { program: name };
  const program = join(folder, 'usr/bin', name);
  if (existsSync(program)) return { program };
  const wanted = `the package ${name} of Debian ${release}`;
  const targets = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI) $(LABEL)'], { encoding: 'utf8' });
  const source = /^(\S+) Debian$/m.exec(targets.stdout ?? '')?.[1];
  if (source === undefined) return { reason: `${wanted}: this machine has no packages of Debian` };
  for (const part of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${KEYS}] ${source} ${release} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
  ].flatMap((option) => ['-o', option]);
  for (const command of [
    ['update', '-qq'],
    ['download', '-qq', name],
  ]) {
    const { status, stderr } = spawnSync('apt-get', [...options, ...command], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) return { reason: `${wanted} cannot be had here: ${stderr.trim().split('\n').at(-1)}` };
  }
  const archive = readdirSync(folder).find((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  spawnSync('dpkg-deb', ['-x', archive ?? '', '.'], { cwd: folder });
  for (const part of ['lists', 'cache', archive ?? '.deb'])
    rmSync(join(folder, part), { recursive: true, force: true });
  const runs = spawnSync(program, ['--version']).status === 0;
  return runs ? { program } : { reason: `${wanted} does not run here` };
}
