// Rust clients, built with Cargo into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from './program.ts';

export interface CargoProgram {
  /** The dependencies, as lines of `Cargo.toml`. */
  readonly dependencies: readonly string[];
  /** The file of our own program. */
  readonly source: string;
}

/** Returns the program that Cargo builds in the folder; Cargo itself builds only what changed. */
export function cargoProgram(name: string, folder: string, { dependencies, source }: CargoProgram): Program {
  mkdirSync(join(folder, 'src'), { recursive: true });
  const manifest = ['[package]', `name = "${name}"`, 'edition = "2021"', '', '[dependencies]', ...dependencies, ''];
  writeFileSync(join(folder, 'Cargo.toml'), manifest.join('\n'));
  copyFileSync(source, join(folder, 'src/main.rs'));
  const { error, status, stderr } = spawnSync('cargo', ['build', '--quiet'], { cwd: folder, encoding: 'utf8' });
  if (error) return { reason: 'there is no Cargo here' };
  if (status === 0) return { program: join(folder, 'target/debug', name) };
  return { reason: `Cargo cannot build it here: ${stderr.split('\n').slice(0, 2).join(' / ')}` };
}
