import type { Project } from '../../../access/projects.ts';
import { commitChanges } from '../../../git/commit.ts';
import { HEADS } from '../../../git/names.ts';
import { zeroId } from '../../../git/refs.ts';
import type { User } from '../../../identity/users.ts';
import { isRefused } from '../../../refused.ts';
import { ensureProjectRepository, moveRefs } from '../../../repositories/move-refs.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';

/** The first commit of a new project, a README.md on its default branch, in the creator's name. */
export async function initializeWithReadme(rooms: RefRooms, project: Project, creator: User): Promise<void> {
  const { git } = rooms;
  await ensureProjectRepository(git, project);
  const signer = { name: creator.name, email: creator.commit_email ?? creator.email };
  const made = await commitChanges(git, repositoryOf(git, project), {
    parent: null,
    changes: [{ action: 'create', path: 'README.md', content: Buffer.from(readmeText(project)) }],
    author: signer,
    committer: signer,
    message: 'Initial commit',
  });
  if (!('ok' in made)) throw new Error(`The first commit of project ${project.id} was refused: ${made.refused}`);
  const change = { ref: HEADS + project.default_branch, oldId: zeroId, newId: made.commit };
  const moved = await moveRefs(rooms, { project, userId: creator.id, changes: [change] });
  if (isRefused(moved)) throw new Error(`The first branch of project ${project.id} was refused: ${moved.code}`);
}

function readmeText({ name, description }: Pick<Project, 'name' | 'description'>): string {
  return `# ${name}\n${description ? `\n${description}\n` : ''}`;
}
