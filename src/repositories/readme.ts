import { definePerGit, type Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { listFileNames } from '#git/trees/tree-list.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { getRefVersion, getRepository, type LocatedRepository, type VersionedRepository } from './repository.ts';

/** A repository row with its stored summary (`maintenance/summary.ts`), for lists. */
interface SummarizedRepository extends VersionedRepository {
  readonly id: number;
  readonly empty: boolean;
  /** The ref version of the summary; null before the first one. */
  readonly summary_version: string | null;
  readonly readme: string | null;
}

/** Returns whether the summary of the row matches its ref version. */
export function isSummaryCurrent(
  project: Pick<SummarizedRepository, 'summary_version' | 'ref_state_version' | 'default_branch'>,
): boolean {
  return project.summary_version === getRefVersion(project);
}

/** Readme names by project and ref version. The caller has read that version in this request, so no entry is stale. */
const readmeCache = definePerGit(() => createBoundedCache<{ readonly name: string | null }>(20_000));

/**
 * Returns the names of the readme files in the root of the default branches, by project id. Reads the repository if the
 * summary in the row is outdated. Calls `onUnreadable` if a repository cannot be read: it is omitted, and the result must not
 * be cached.
 */
export async function loadReadmes(
  git: Git,
  projects: readonly SummarizedRepository[],
  onUnreadable: () => void,
): Promise<ReadonlyMap<number, string>> {
  const readmes = await Promise.all(
    projects
      .filter(({ empty }) => !empty)
      .map(async (project) => {
        const name = isSummaryCurrent(project) ? project.readme : await loadReadme(git, project, onUnreadable);
        return name === null ? [] : [[project.id, name] as const];
      }),
  );
  return new Map(readmes.flat());
}

async function loadReadme(git: Git, project: SummarizedRepository, onUnreadable: () => void): Promise<string | null> {
  const key = `${project.id} ${getRefVersion(project)}`;
  const cached = readmeCache(git).get(key);
  if (cached) return cached.name;
  try {
    const name = await findReadme(git, project);
    readmeCache(git).set(key, { name });
    return name;
  } catch (error) {
    // One unreadable repository must not fail a whole list.
    git.log('readme_unreadable', { project: project.id, err: error });
    onUnreadable();
    return null;
  }
}

/** Reads the repository and returns the name of its readme; null if it has none. */
export async function findReadme(git: Git, project: LocatedRepository): Promise<string | null> {
  const repository = getRepository(git, project);
  const head = await findBranchHead(repository, project.default_branch);
  const commit = head === null ? null : await readCommit(git, repository, head);
  return commit === null ? null : chooseReadme(await listFileNames(git, repository, commit.treeId, README_PATTERN));
}

const README_PATTERN = /^readme(\.[a-z]+)?$/i;

/** Returns the name of the readme: the first with markup, else the first; null if there is none. */
export function chooseReadme(files: readonly string[]): string | null {
  const readmes = files.filter((name) => README_PATTERN.test(name));
  return (
    readmes.find((name) => /\.(md|markdown|mkdn?|adoc|asciidoc|rst|org|rdoc|textile|creole)$/i.test(name)) ??
    readmes[0] ??
    null
  );
}
