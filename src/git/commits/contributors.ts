import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { forEachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

/** An author of commits. One per email address, with the name used most often. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}

/** Maximum authors of one history; three times the largest known. */
const MAX_CONTRIBUTORS = 100_000;

/** Size of the cache in bytes. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

const contributorCache = definePerGit(() =>
  createBoundedCache<readonly Contributor[]>(MAX_CACHED_BYTES, (contributors) =>
    contributors.reduce((sum, { name, email }) => sum + 100 + name.length + email.length, 64),
  ),
);

/** Returns the authors of the non-merge commits reachable from a commit. Cached. */
export async function loadContributors(
  git: Git,
  repository: Repository,
  commit: string,
): Promise<readonly Contributor[]> {
  const key = `${repository.directory} ${commit}`;
  const cached = contributorCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `contributors ${key}`, async (shared) => {
    const contributors = await historyWalkLimiter(git).run(
      () => computeContributors(shared, repository, commit),
      shared,
    );
    contributorCache(git).set(key, contributors);
    return contributors;
  });
}

async function computeContributors(git: Git, repository: Repository, commit: string): Promise<readonly Contributor[]> {
  const flags = ['--summary', '--numbered', '--email', '--no-merges'];
  // The mailmap of HEAD changes over time, so it would give another result for the same commit.
  const options = { config: { 'mailmap.blob': '' } };
  const reader = createReader();
  const exit = await forEachLine(git, repository, 'shortlog', { flags, args: [commit] }, options, reader.take);
  const { byEmail } = reader;
  // Stopping git at the maximum counts as success, so the number of authors is checked too.
  if (byEmail.size > MAX_CONTRIBUTORS) throw new GitError('shortlog', { kind: 'too-large', limit: MAX_CONTRIBUTORS });
  if (!exit.ok) throw new GitError('shortlog', exit.failure);
  return [...byEmail.values()];
}

/** Parses `   12\tJane Doe <jane@example.com>`, largest count first. A name can contain anything but `<` and `>`. */
function createReader() {
  const byEmail = new Map<string, Contributor>();
  return {
    byEmail,
    /** Returns false when there are more authors than the maximum. */
    take(bytes: Buffer): boolean {
      const line = bytes.toString('utf8');
      const [tabIndex, bracketIndex] = [line.indexOf('\t'), line.lastIndexOf('<')];
      if (tabIndex < 0 || bracketIndex < tabIndex || !line.endsWith('>')) return true;
      const name = line.slice(tabIndex + 1, bracketIndex).trimEnd();
      const email = line.slice(bracketIndex + 1, -1);
      const existing = byEmail.get(email);
      const commits = (existing?.commits ?? 0) + Number(line.slice(0, tabIndex));
      byEmail.set(email, { name: existing?.name ?? name, email, commits });
      return byEmail.size <= MAX_CONTRIBUTORS;
    },
  };
}
