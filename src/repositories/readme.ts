import { type Git, ownedBy } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { branchTip } from '#git/refs/revision.ts';
import { filesNamed } from '#git/trees/tree-list.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Placed, refVersion, repositoryOf, type Versioned } from './repository.ts';

/** A repository as lists read it, with what its row keeps of it (`summary.ts`). */
export interface Summarized extends Versioned {
  readonly id: number;
  readonly empty: boolean;
  /** The version of refs that what is kept was read at; null before the first time. */
  readonly summary_version: string | null;
  readonly readme: string | null;
}

/** Is what the row keeps true of the refs as this request sees them? */
export function isCurrent(
  project: Pick<Summarized, 'summary_version' | 'ref_state_version' | 'default_branch'>,
): boolean {
  return project.summary_version === refVersion(project);
}

/** The key holds the ref-state version that the caller has read in this request, so an entry is never stale. */
const remembered = ownedBy(() => keptAtMost<{ readonly name: string | null }>(20_000));

/**
 * The read-me files of these projects by id: the name of the file at the top of the default branch. From their rows; the
 * repository is looked into where refs have moved since its summary. `unread` is told when one could not be read now: it is
 * left out, and nobody may remember that.
 */
export async function readmesOf(
  git: Git,
  projects: readonly Summarized[],
  unread: () => void,
): Promise<ReadonlyMap<number, string>> {
  const found = await Promise.all(
    projects
      .filter(({ empty }) => !empty)
      .map(async (project) => {
        const name = isCurrent(project) ? project.readme : await readmeNow(git, project, unread);
        return name === null ? [] : [[project.id, name] as const];
      }),
  );
  return new Map(found.flat());
}

async function readmeNow(git: Git, project: Summarized, unread: () => void): Promise<string | null> {
  const key = `${project.id} ${refVersion(project)}`;
  const known = remembered(git).get(key);
  if (known) return known.name;
  try {
    const name = await findReadme(git, project);
    remembered(git).set(key, { name });
    return name;
  } catch (error) {
    // One repository that cannot be read must not take a whole list with it.
    git.log('readme_unreadable', { project: project.id, err: error });
    unread();
    return null;
  }
}

export async function findReadme(git: Git, project: Placed): Promise<string | null> {
  const repository = repositoryOf(git, project);
  const tip = await branchTip(repository, project.default_branch);
  const commit = tip === null ? null : await readCommit(git, repository, tip);
  return commit === null ? null : chooseReadme(await filesNamed(git, repository, commit.treeId, README));
}

const README = /^readme(\.[a-z]+)?$/i;

/** Markup before plain text, otherwise the first by name. */
export function chooseReadme(files: readonly string[]): string | null {
  const readmes = files.filter((name) => README.test(name));
  return (
    readmes.find((name) => /\.(md|markdown|mkdn?|adoc|asciidoc|rst|org|rdoc|textile|creole)$/i.test(name)) ??
    readmes[0] ??
    null
  );
}
