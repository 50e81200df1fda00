import { foldCase } from '#database/name-keys.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { findProjectByPath } from './store.ts';

/** The target of an alert: a project and one of its integrations. */
export interface Address {
  readonly projectId: number;
  readonly endpoint: string;
}

/** One possible interpretation of an address. */
interface AddressCandidate {
  readonly path: string;
  readonly endpoint: string;
}

/**
 * Resolves the project from its path; the key is checked later, when the format of the body is known (contract/monitoring.md §1).
 * `read` returns the possible interpretations of the address; the first one that matches a project is used.
 */
export function integrationAccess(read: (path: AccessCall['path']) => readonly AddressCandidate[]) {
  return access<{ address: Address }>({
    audience: 'key',
    label: 'integration key',
    authenticate: () => {},
    authorize: () => {},
    async load({ db, path, request }) {
      // The address must not contain encoded slashes.
      const readings = /%2f/i.test(request.path) ? [] : read(path);
      for (const { path: fullPath, endpoint } of readings) {
        const project = await findProjectByPath.first(db, { path: foldCase(fullPath) });
        if (project !== undefined) return { address: { projectId: project.id, endpoint } };
      }
      throw notFound('Project');
    },
  });
}
