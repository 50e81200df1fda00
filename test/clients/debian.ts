// Programs of Debian: of the release that the machine has, or, beside it, of a later one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './program.ts';

export interface DebianPackage {
  /** One name, or several with a blank between them. */
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
  spawnSync('apt-get', ['install', '-y', '-qq', ...name.split(' ')]);
  return there();
}

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Returns the program of the machine if it has one, else that of a later Debian, unpacked into the folder. */
export function programOfDebian(name: string, folder: string, release: string): Program {
  if (spawnSync(name, ['--version']).status === 0) return { program: name };
  const program = join(folder, 'usr/bin', name);
  const reason = unpackFromDebian(folder, release, [name]);
  if (reason !== null) return { reason };
  if (spawnSync(program, ['--version']).status === 0) return { program };
  return { reason: `the package ${name} of Debian ${release} does not run here` };
}

/** Returns the folders of the gems that these packages contain, for Ruby's `RUBYLIB`. They have to be unpacked there. */
export function listGemLibraries(folder: string): string[] {
  const gems = join(folder, 'usr/share/rubygems-integration/all/gems');
  return readdirSync(gems).map((gem) => join(gems, gem, 'lib'));
}

/**
 * Unpacks packages of a release of Debian into the folder, once, and installs nothing. They come from where the machine has its
 * own packages, and apt checks them with Debian's keys. Returns the reason of a failure, else null.
 */
export function unpackFromDebian(folder: string, release: string, packages: readonly string[]): string | null {
  if (existsSync(join(folder, 'usr'))) return null;
  const wanted = `${packages.join(', ')} of Debian ${release}`;
  const targets = spawnSync('apt-get', ['indextargets', '--format', '$(REPO_URI) $(LABEL)'], { encoding: 'utf8' });
  const source = /^(\S+) Debian$/m.exec(targets.stdout ?? '')?.[1];
  if (source === undefined) return `${wanted}: this machine has no packages of Debian`;
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
    ['download', '-qq', ...packages],
  ]) {
    const { status, stderr } = spawnSync('apt-get', [...options, ...command], { cwd: folder, encoding: 'utf8' });
    if (status !== 0) return `${wanted} cannot be had here: ${stderr.trim().split('\n').at(-1)}`;
  }
  const archives = readdirSync(folder).filter((file) => file.endsWith('.deb'));
  for (const archive of archives) spawnSync('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
  for (const part of ['lists', 'cache', ...archives]) rmSync(join(folder, part), { recursive: true, force: true });
  return null;
}
