import { foldCase } from '#database/name-keys.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { notFound } from '#http/errors/http-error.ts';
import { findProjectByPath } from './store.ts';

/** The target of an alert: a project and one of its integrations. */
export interface AlertTarget {
  readonly projectId: number;
  /** The endpoint identifier of the integration. */
  readonly endpoint: string;
}

/** One possible reading of the URL path: where the project path ends is ambiguous. */
interface AddressCandidate {
  /** Full path of the project. */
  readonly path: string;
  readonly endpoint: string;
}

/**
 * Creates the access rule that resolves the project from its path. `authenticateIntegration` checks the key later, when the
 * format of the body is known (contract/monitoring.md §1). `listCandidates` returns the possible interpretations of the address;
 * the first one that matches a project is used.
 */
export function integrationAccess(listCandidates: (path: AccessCall['path']) => readonly AddressCandidate[]) {
  return access<{ target: AlertTarget }>({
    audience: 'tokenHolder',
    label: 'integration key',
    authenticate: () => {},
    authorize: () => {},
    async load({ db, path, request }) {
      // The address must not contain encoded slashes.
      const candidates = /%2f/i.test(request.path) ? [] : listCandidates(path);
      for (const { path: fullPath, endpoint } of candidates) {
        const project = await findProjectByPath.first(db, { path: foldCase(fullPath) });
        if (project !== undefined) return { target: { projectId: project.id, endpoint } };
      }
      throw notFound('Project');
    },
  });
}
