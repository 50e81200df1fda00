import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { readCommit, readObject, readTree } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { getRepository } from '#repositories/repository.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { detectLicense, findLicenseFile, type License, OTHER_LICENSE } from './known-licenses.ts';

export interface LicenseFile {
  readonly name: string;
  readonly license: License;
}

/** Maximum size of a license file, in bytes. */
const MAX_LICENSE_BYTES = 128 * 1024;

/** Cache of license files by repository and tree id. The content of a tree never changes. */
const licenseCache = definePerGit(() => createBoundedCache<{ readonly file: LicenseFile | null }>(5_000));

/** Loads the licenses if they were requested; null for projects whose code the caller may not read. */
export async function loadLicenses(
  projects: readonly Project[],
  { git, caller, params }: SerializationContext,
): Promise<ReadonlyMap<number, LicenseFile | null>> {
  if (params.license !== true) return new Map();
  const files = projects.map(async (project) => {
    const mayRead = mayInProject(caller, 'read_code', project);
    return [project.id, mayRead ? await loadLicense(git, project) : null] as const;
  });
  return new Map(await Promise.all(files));
}

/** Loads the license of a project from the root of its default branch. */
async function loadLicense(git: Git, project: Project): Promise<LicenseFile | null> {
  const repository = getRepository(git, project);
  const branchHead = await findBranchHead(repository, project.default_branch);
  const commit = branchHead === null ? null : await readCommit(git, repository, branchHead);
  if (commit === null) return null;
  const key = `${repository.directory} ${commit.treeId}`;
  const cached = licenseCache(git).get(key);
  if (cached) return cached.file;
  const file = await readLicenseFile(git, project, commit.treeId);
  licenseCache(git).set(key, { file });
  return file;
}

async function readLicenseFile(git: Git, project: Project, treeId: string): Promise<LicenseFile | null> {
  const repository = getRepository(git, project);
  const blobs = (await readTree(git, repository, treeId))?.entries.filter(({ type }) => type === 'blob') ?? [];
  const name = findLicenseFile(blobs.map((entry) => entry.name));
  const entry = blobs.find((blob) => blob.name === name);
  if (name === undefined || entry === undefined) return null;
  const content = (await readObject(git, repository, entry.id, MAX_LICENSE_BYTES))?.content ?? null;
  return { name, license: content === null ? OTHER_LICENSE : detectLicense(content.toString('utf8')) };
}
