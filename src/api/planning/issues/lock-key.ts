import type { Project } from '#domain/namespaces/projects.ts';

/** Lock key for creating or reordering issues of a project. */
export const issuesLockKey = ({ id }: Project): string => `issues of project ${id}`;
