import type { FileHandle } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CellValues, TableDefinition } from '#database/copy.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import { isDiskPath } from '#git/storage/storage.ts';
import { damagedArchive, parseLine, readLines } from './archive.ts';
import type { Manifest, RepositoryLine } from './manifest.ts';
import { hasColumns } from './repositories.ts';
import type { TarEntry } from './tar.ts';

// Reads the list of repositories of an archive and compares it with the manifest and with the rows.

/** Maximum length of the line of a repository, in bytes. */
const MAX_LINE_BYTES = 64 * 1024;

const lineSchema = Type.Object({
  name: Type.String(),
  storage: Type.String(),
  disk_path: Type.String(),
  default_branch: Type.String(),
  refs: Type.Integer({ minimum: 0 }),
  bundle: Type.Union([Type.String(), Type.Null()]),
});

/** Returns the repositories by row, such as `repositories 12`. Throws if two share a row, a path or a bundle. */
export async function readRepositories(
  file: FileHandle,
  entry: TarEntry,
  { repositories: { count, storages } }: Manifest,
): Promise<Map<string, RepositoryLine>> {
  const linesByName = new Map<string, RepositoryLine>();
  const [paths, bundles] = [new Set<string>(), new Set<string>()];
  for await (const text of readLines(file, entry, MAX_LINE_BYTES)) {
    const line = parseLine(text);
    if (!Value.Check(lineSchema, line)) throw damagedArchive(`a line of ${entry.name} has an unknown format`);
    const { name, storage, disk_path, default_branch, bundle } = line;
    if (!storages.includes(storage) || !isDiskPath(disk_path))
      throw damagedArchive(`${name} is at ${JSON.stringify(disk_path)}, outside the storages`);
    if (bundle !== null && !isValidBranchName(default_branch))
      throw damagedArchive(`the default branch of ${name} is invalid: ${JSON.stringify(default_branch)}`);
    linesByName.set(name, line);
    paths.add(`${storage} ${disk_path}`);
    // A placeholder for an empty repository, so that the set has one entry per repository.
    bundles.add(bundle ?? `none of ${name}`);
  }
  if ([linesByName, paths, bundles].some(({ size }) => size !== count))
    throw damagedArchive(`${entry.name} does not list ${count} different repositories`);
  return linesByName;
}

/**
 * Removes from the map the repositories that match rows of the table. Throws for a row that does not match.
 */
export function matchRepositories(
  repositories: Map<string, RepositoryLine>,
  table: TableDefinition,
  rows: readonly CellValues[],
): void {
  if (!hasColumns(table, ['storage', 'disk_path'])) return;
  const findColumnIndex = (name: string) => table.columns.findIndex((column) => column.name === name);
  const [idIndex, branchIndex] = [findColumnIndex(table.key[0]!), findColumnIndex('default_branch')];
  for (const row of rows) {
    const name = `${table.name} ${row[idIndex]}`;
    const line = repositories.get(name);
    const matches =
      line !== undefined &&
      row[findColumnIndex('storage')] === line.storage &&
      row[findColumnIndex('disk_path')] === line.disk_path &&
      (branchIndex === -1 || row[branchIndex] === line.default_branch);
    if (!matches) throw damagedArchive(`its list of repositories does not match the row ${name}`);
    repositories.delete(name);
  }
}
