import { Type } from 'typebox';
import type { Group } from '#domain/namespaces/groups.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inGroup } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, noContent, page } from '#http/endpoint/responses.ts';
import { forbidden, HttpError, notFound } from '#http/errors/http-error.ts';
import { describe, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { createCertificate, deleteCertificate, FINGERPRINT_TAKEN } from './changes.ts';
import { type Certificate, findCertificate, listCertificates } from './store.ts';

// Access to the SSH certificates of a group (contract/operations.md §4).

interface InGroup {
  readonly group: Group;
}

/** Creates the access for owners of a top-level group, if the tier and the feature flag enable certificates. */
const manageCertificatesAccess = () =>
  inGroup('admin_ssh_certificate').require(async ({ services, db }, { group }) => {
    const { tier } = services.config;
    const actor = { type: 'Group', id: group.id } as const;
    if (tier === 'free' || !(await isFeatureEnabled(db, { flag: 'ssh_certificates_rest_endpoints', tier, actor }))) {
      throw notFound();
    }
    if (group.parent_id !== null) throw forbidden('Group');
  });

/** Message of the 404 for a missing certificate. */
const CERTIFICATE_NOT_FOUND = 'SSH Certificate not found';

/** Resource: the certificate `:certificate_id` of the group. */
const certificateResource = {
  name: 'certificate',
  params: { certificate_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly certificate_id: number }>, { group }: InGroup) =>
    findCertificate(db, group.id, params.certificate_id),
  notFound: () => new HttpError(404, { message: CERTIFICATE_NOT_FOUND }),
} as const;

/** The public key of a certificate authority (contract/operations.md §4). */
const SshCertificate = entity('SshCertificate', {
  id: Type.Integer(),
  title: Type.String(),
  /** The key as sent by the client. */
  key: Type.String(),
  created_at: dateTime,
}).from((certificate: Certificate) => certificate);

// contract/operations.md §4: public keys of certificate authorities that a top-level group trusts.

export const listSshCertificates = endpoint({
  get: '/groups/:id/ssh_certificates',
  summary: 'List the SSH certificates of a group',
  description:
    'Returns the keys of certificate authorities that the top-level group trusts, ordered by id. The feature needs a paid tier and the feature flag `ssh_certificates_rest_endpoints`; otherwise the response is 404.',
  access: manageCertificatesAccess(),
  response: page(SshCertificate),
  read: (db, { group, page }) => listCertificates(db, group.id, page),
});

export const createSshCertificate = endpoint({
  post: '/groups/:id/ssh_certificates',
  summary: 'Create an SSH certificate of a group',
  description:
    'Adds the public key of a certificate authority to a top-level group. A key can belong to one group only, and must satisfy the key restrictions of the instance.',
  access: manageCertificatesAccess(),
  params: {
    title: required(domainValidatedText(255)),
    key: describe(
      required(domainValidatedText(5000)),
      'The public key of the certificate authority in OpenSSH format, without options before the algorithm.',
    ),
  },
  errors: {
    invalid: [422, 'Validation failed: {messages}'],
    fingerprintTaken: [422, `Validation failed: ${FINGERPRINT_TAKEN}`],
  },
  uniqueErrors: { ssh_certificates_by_fingerprint: 'fingerprintTaken' },
  activity: ['create_ssh_certificate'],
  response: created(SshCertificate),
  write: (uow, { group, params }) => createCertificate(uow, group, params),
});

export const deleteSshCertificate = endpoint({
  delete: '/groups/:id/ssh_certificates/:certificate_id',
  summary: 'Delete an SSH certificate of a group',
  description:
    'The group no longer trusts the certificate authority. The same key can be added again, also to another group.',
  access: manageCertificatesAccess().resource(certificateResource),
  errors: { notFound: [404, CERTIFICATE_NOT_FOUND] },
  activity: ['delete_ssh_certificate'],
  response: noContent,
  write: (uow, { group, certificate }) => deleteCertificate(uow, group, certificate),
});
