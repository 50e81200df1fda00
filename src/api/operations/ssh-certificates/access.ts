import type { Group } from '#domain/namespaces/groups.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inGroup } from '#http/access/project-access.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { findCertificate } from './store.ts';

/** Access to the SSH certificates of a group (contract/operations.md §4). */

interface InGroup {
  readonly group: Group;
}

/** Creates the access for owners of a top-level group, if the tier and the feature flag enable certificates. */
export const manageCertificatesAccess = () =>
  inGroup('admin_ssh_certificate').require(async ({ services, db }, { group }) => {
    const { tier } = services.config;
    const actor = { type: 'Group', id: group.id } as const;
    if (tier === 'free' || !(await isFeatureEnabled(db, { flag: 'ssh_certificates_rest_endpoints', tier, actor }))) {
      throw notFound();
    }
    if (group.parent_id !== null) throw forbidden('Group');
  });

/** Message of the 404 for a missing certificate. */
export const CERTIFICATE_NOT_FOUND = 'SSH Certificate not found';

/** Resource: the certificate `:certificate_id` of the group. */
export const certificateResource = {
  name: 'certificate',
  params: { certificate_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly certificate_id: number }>, { group }: InGroup) =>
    findCertificate(db, group.id, params.certificate_id),
  notFound: () => new HttpError(404, { message: CERTIFICATE_NOT_FOUND }),
} as const;
