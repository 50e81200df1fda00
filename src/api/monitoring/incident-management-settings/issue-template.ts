import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readObject } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { getRepository } from '#repositories/repository.ts';

const FOLDER = '.gitlab/issue_templates';
const MAX_TEMPLATE_BYTES = 1024 * 1024;

/** Returns the issue template named `key` on the default branch, or null if the file is missing or too large. */
export async function readIssueTemplate(
  git: Git,
  project: Pick<Project, 'storage' | 'disk_path' | 'default_branch'>,
  key: string,
): Promise<string | null> {
  if (key.includes('/')) return null;
  const repository = getRepository(git, project);
  const branchHead = await findBranchHead(repository, project.default_branch);
  const entry = branchHead === null ? null : await findEntryAtPath(git, repository, branchHead, `${FOLDER}/${key}.md`);
  if (entry?.type !== 'blob') return null;
  const object = await readObject(git, repository, entry.id, MAX_TEMPLATE_BYTES);
  // Databases cannot store NUL in a text.
  return object?.content?.toString('utf8').replaceAll('\0', '') ?? null;
}
