import type { Project } from '#domain/namespaces/projects.ts';

/** Lock key for opening merge requests of a project or changing their target branch. */
export const mergeRequestsLockKey = ({ id }: Project): string => `merge requests of project ${id}`;
