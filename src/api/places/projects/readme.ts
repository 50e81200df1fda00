import { LRUCache } from 'lru-cache';
import type { Project } from '../../../access/projects.ts';
import { type Git, ownedBy } from '../../../git/git.ts';
import { readCommit, readTree } from '../../../git/objects.ts';
import { branchTip } from '../../../git/revision.ts';
import { refVersion, repositoryOf } from '../../../repositories/repository.ts';

/** The key holds the ref-state version that the caller has read in this request, so an entry is never stale. */
const remembered = ownedBy(() => new LRUCache<string, { readonly name: string | undefined }>({ max: 20_000 }));

/** The read-me files of these projects by id: the name of the file at the top of the default branch. */
export async function readmesOf(git: Git, projects: readonly Project[]): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.all(
    projects.filter(({ empty }) => !empty).map(async (project) => [project.id, await readmeOf(git, project)] as const),
  );
  return new Map(found.filter((entry): entry is readonly [number, string] => entry[1] !== undefined));
}

async function readmeOf(git: Git, project: Project): Promise<string | undefined> {
  const key = `${project.id} ${refVersion(project)} ${project.default_branch}`;
  const known = remembered(git).get(key);
  if (known) return known.name;
  try {
    const name = await findReadme(git, project);
    remembered(git).set(key, { name });
    return name;
  } catch (error) {
    // One repository that cannot be read must not take a whole list with it.
    git.log('readme_unreadable', { project: project.id, err: error });
    return undefined;
  }
}

async function findReadme(git: Git, project: Project): Promise<string | undefined> {
  const repository = repositoryOf(git, project);
  const tip = await branchTip(repository, project.default_branch);
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  const tree = commit === null ? null : await readTree(git, repository, commit.treeId);
  return chooseReadme((tree?.entries ?? []).filter(({ type }) => type === 'blob').map(({ name }) => name));
}

/** Markup before plain text, otherwise the first by name. */
export function chooseReadme(files: readonly string[]): string | undefined {
  const readmes = files.filter((name) => /^readme(\.[a-z]+)?$/i.test(name));
  return (
    readmes.find((name) => /\.(md|markdown|mkdn?|adoc|asciidoc|rst|org|rdoc|textile|creole)$/i.test(name)) ?? readmes[0]
  );
}
