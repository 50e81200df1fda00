import type { Project } from '#domain/namespaces/projects.ts';

/** Those who open merge requests of one project, or lead them elsewhere, do so one after another. */
export const mergeRequestsTurn = ({ id }: Project): string => `merge requests of project ${id}`;
