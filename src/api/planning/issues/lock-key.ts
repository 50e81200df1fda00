import type { Project } from '#domain/namespaces/projects.ts';

/** Those who file or order issues of one project do so one after another. */
export const issuesTurn = ({ id }: Project): string => `issues of project ${id}`;
