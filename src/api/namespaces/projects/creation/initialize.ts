import type { User } from '#authentication/users/users.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { createInitialCommit } from '#repositories/commits/initial-commit.ts';
import type { RefServices } from '#repositories/services.ts';
import { isFailure } from '#runtime/failure.ts';

/** Creates the first commit of a new project, a README.md on its default branch, as the creator. */
export async function initializeWithReadme(services: RefServices, project: Project, creator: User): Promise<void> {
  const { id, name, commit_email, email } = creator;
  const failure = await createInitialCommit(services, {
    project,
    actor: { server: true, userId: id },
    author: { name, email: commit_email ?? email },
    path: 'README.md',
    content: Buffer.from(buildReadme(project)),
    message: 'Initial commit',
  });
  if (isFailure(failure)) throw new Error(`Cannot create the first branch of project ${project.id}: ${failure.code}`);
}

function buildReadme({ name, description }: Pick<Project, 'name' | 'description'>): string {
  return `# ${name}\n${description ? `\n${description}\n` : ''}`;
}
