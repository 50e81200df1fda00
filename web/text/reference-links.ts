import type { Reference } from './dialect.ts';

/** Paths of namespaces and projects, as they can be written in a reference. */
const FULL_PATH = /^\w[\w.-]*(?:\/\w[\w.-]*)+$/;

/**
 * Returns the path of a referenced object, below the base path of the server. It is unknown whether the object exists, so
 * texts that are more likely words than references give null: a path of one segment (`step#1`), and labels that are numbers
 * (`~5`).
 */
export function toReferencePath({ kind, path, value }: Reference, project: string | null): string | null {
  if (kind === 'user') return value === 'all' ? null : `/${value}`;
  if (kind === 'epic') return toEpicPath(path, value, project);
  const owner = path === '' ? project : FULL_PATH.test(path) ? path : null;
  if (owner === null) return null;
  const name = encodeURIComponent(value);
  switch (kind) {
    case 'issue':
      return `/${owner}/-/issues/${name}`;
    case 'merge_request':
      return `/${owner}/-/merge_requests/${name}`;
    case 'commit':
      return `/${owner}/-/commit/${name}`;
    case 'milestone':
      return /^\d+$/.test(value) ? `/${owner}/-/milestones/${name}` : `/${owner}/-/milestones?search=${name}`;
    case 'label':
      return /^\d+$/.test(value) ? null : `/${owner}/-/issues?labels=${name}`;
  }
}

/** A reference to an epic: in the group of the project, or with the path of a group, which may have one segment. */
function toEpicPath(path: string, value: string, project: string | null): string | null {
  const group = path === '' ? (project?.slice(0, project.lastIndexOf('/')) ?? null) : path;
  return group === null || !/^\w[\w.-]*(?:\/\w[\w.-]*)*$/.test(group) ? null : `/groups/${group}/-/epics/${value}`;
}
