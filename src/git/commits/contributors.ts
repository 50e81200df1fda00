import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { eachLine } from '../process/output-records.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';

/** Somebody who has written commits; one for each address, by the name that he used most. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}

/** Authors of one history: three times as many as the largest that there are have. */
const MOST = 100_000;

/** Bytes that are remembered. */
const REMEMBERED = 16 * 1024 * 1024;

const known = ownedBy(() => keptAtMost<readonly Contributor[]>(REMEMBERED, sizeOf));

function sizeOf(all: readonly Contributor[]): number {
  return all.reduce((sum, { name, email }) => sum + 100 + name.length + email.length, 64);
}

/** The authors of the commits reachable from this one, merges apart, by their addresses. Remembered. */
export async function contributorsTo(
  git: Git,
  repository: Repository,
  commit: string,
): Promise<readonly Contributor[]> {
  const key = `${repository.directory} ${commit}`;
  const found = known(git).get(key);
  if (found !== undefined) return found;
  return together(git, `contributors ${key}`, async (shared) => {
    const asked = await walks(git).enter(() => askContributors(shared, repository, commit), shared);
    known(git).set(key, asked);
    return asked;
  });
}

async function askContributors(git: Git, repository: Repository, commit: string): Promise<readonly Contributor[]> {
  const flags = ['--summary', '--numbered', '--email', '--no-merges'];
  // A mailmap would be that of HEAD: another one tomorrow, for the same commit.
  const options = { config: { 'mailmap.blob': '' } };
  const reader = createReader();
  const ended = await eachLine(git, repository, 'shortlog', { flags, args: [commit] }, options, reader.take);
  const { byEmail } = reader;
  if (byEmail.size > MOST) throw new GitFailed('shortlog', { kind: 'too-large', limit: MOST });
  if (!ended.ok) throw new GitFailed('shortlog', ended.failure);
  return [...byEmail.values()];
}

/** `   12\tJane Doe <jane@example.com>`, the largest number first; a name can hold anything but `<` and `>`. */
function createReader() {
  const byEmail = new Map<string, Contributor>();
  return {
    byEmail,
    /** False: there are more than anybody is told of. */
    take(bytes: Buffer): boolean {
      const line = bytes.toString('utf8');
      const [tab, open] = [line.indexOf('\t'), line.lastIndexOf('<')];
      if (tab < 0 || open < tab || !line.endsWith('>')) return true;
      const name = line.slice(tab + 1, open).trimEnd();
      const email = line.slice(open + 1, -1);
      const before = byEmail.get(email);
      const commits = (before?.commits ?? 0) + Number(line.slice(0, tab));
      byEmail.set(email, { name: before?.name ?? name, email, commits });
      return byEmail.size <= MOST;
    },
  };
}
