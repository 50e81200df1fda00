import { foldCase } from '#database/name-keys.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { projectAt } from './store.ts';

/** Where an alert was sent to: a project, and which of its integrations. */
export interface Address {
  readonly projectId: number;
  readonly endpoint: string;
}

/** An address as it might be read. */
interface Reading {
  readonly path: string;
  readonly endpoint: string;
}

/**
 * Whoever knows the project's path; his key is looked at when the format of the body is known (contract/monitoring.md §1).
 * `read` tells how the address may be read, of which the first one that leads to a project holds.
 */
export function addressed(read: (path: AccessCall['path']) => readonly Reading[]) {
  return access<{ address: Address }>({
    audience: 'key',
    label: 'integration key',
    authenticate: () => {},
    authorize: () => {},
    async load({ db, path, request }) {
      // Its segments are plain ones.
      const readings = /%2f/i.test(request.path) ? [] : read(path);
      for (const { path: full, endpoint } of readings) {
        const project = await projectAt.first(db, { path: foldCase(full) });
        if (project !== undefined) return { address: { projectId: project.id, endpoint } };
      }
      throw notFound('Project');
    },
  });
}
