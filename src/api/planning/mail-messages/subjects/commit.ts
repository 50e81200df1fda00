import type { Selectable } from 'kysely';
import { findUserIdByConfirmedAddress } from '#authentication/users/emails.ts';
import type { Reader, Schema } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { getRepository } from '#repositories/repository.ts';

/** A commit with comments. */
export type CommitSubject = Selectable<Schema['commented_commits']>;

/** Returns the commented commit with this id, or null if its project is deleted. index: commented_commits primary key */
export async function findCommitSubject(db: Reader, id: number): Promise<CommitSubject | null> {
  return (await db.selectFrom('commented_commits').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns the user with the confirmed address of the commit's author, or null. */
export async function findCommitAuthorId(
  db: Reader,
  git: Git,
  project: Project,
  { sha }: CommitSubject,
): Promise<number | null> {
  const commit = await readCommit(git, getRepository(git, project), sha);
  return commit === null ? null : findUserIdByConfirmedAddress(db, commit.author.email);
}

/** Returns the first 8 characters of the SHA, for texts of mails. */
export const abbreviateSha = (sha: string): string => sha.slice(0, 8);
