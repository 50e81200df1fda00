import type { NotifyingTarget } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { filterProjectReaders } from '#authorization/readers.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { findCommitSubject } from './commit.ts';
import { loadProjectContainer } from './container.ts';
import { findNoteableSubject, type NoteableSubject } from './noteable.ts';

/** Loads the container of a noteable or commit and who may read it; returns null if it is deleted. */
export async function findTargetReaders(
  db: Reader,
  { type, id }: NotifyingTarget,
): Promise<Pick<NoteableSubject, 'container' | 'filterReaders'> | null> {
  if (type !== 'Commit') return findNoteableSubject(db, { type, id });
  const commit = await findCommitSubject(db, id);
  const container = commit && (await loadProjectContainer(db, commit.project_id));
  if (!container?.project) return null;
  const { project } = container;
  // Notes on commits are never internal.
  return { container, filterReaders: (db, userIds) => filterProjectReaders(db, project, userIds, mayReadCode) };
}

/** Returns whether the user may read the commits of the project. */
export const mayReadCode = (reader: Caller, project: Project): boolean => mayInProject(reader, 'read_code', project);
