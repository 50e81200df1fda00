import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type Git, ownedBy } from '#git/git.ts';
import { readCommit, readObject, readTree } from '#git/objects/object-reader.ts';
import { branchTip } from '#git/refs/revision.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { chooseLicense, type License, licenseOf } from './known-licenses.ts';

export interface LicenseFile {
  readonly name: string;
  /** null: its text is no well-known one. */
  readonly license: License | null;
}

/** Bytes. No licence is larger. */
const LARGEST = 128 * 1024;

/** By repository and tree, which hold for ever. */
const remembered = ownedBy(() => keptAtMost<{ readonly file: LicenseFile | null }>(5_000));

/** Of these projects where they are asked for; null: none that the caller may read. */
export async function licensesOf(
  projects: readonly Project[],
  { git, caller, params }: SerializationContext,
): Promise<ReadonlyMap<number, LicenseFile | null>> {
  if (params.license !== true) return new Map();
  const files = projects.map(async (project) => {
    const mayRead = mayInProject(caller, 'read_code', project);
    return [project.id, mayRead ? await readLicense(git, project) : null] as const;
  });
  return new Map(await Promise.all(files));
}

/** The licence of a project: the file at the top of its default branch, and what it says. */
async function readLicense(git: Git, project: Project): Promise<LicenseFile | null> {
  const repository = repositoryOf(git, project);
  const tip = await branchTip(repository, project.default_branch);
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  if (commit === null) return null;
  const key = `${repository.directory} ${commit.treeId}`;
  const known = remembered(git).get(key);
  if (known) return known.file;
  const file = await findLicense(git, project, commit.treeId);
  remembered(git).set(key, { file });
  return file;
}

async function findLicense(git: Git, project: Project, treeId: string): Promise<LicenseFile | null> {
  const repository = repositoryOf(git, project);
  const blobs = (await readTree(git, repository, treeId))?.entries.filter(({ type }) => type === 'blob') ?? [];
  const name = chooseLicense(blobs.map((entry) => entry.name));
  const entry = blobs.find((one) => one.name === name);
  if (name === undefined || entry === undefined) return null;
  const content = (await readObject(git, repository, entry.id, LARGEST))?.content ?? null;
  return { name, license: content === null ? null : licenseOf(content.toString('utf8')) };
}
