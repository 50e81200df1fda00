import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, page } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { CERTIFICATE_NOT_FOUND, certificateResource, manageCertificatesAccess } from './access.ts';
import { createCertificate, FINGERPRINT_TAKEN } from './create.ts';
import { SshCertificate } from './entities.ts';
import { deleteCertificate } from './on-delete.ts';
import { listCertificates } from './store.ts';

// contract/operations.md §4: public keys of certificate authorities that a top-level group trusts.

export const listSshCertificates = endpoint({
  get: '/groups/:id/ssh_certificates',
  summary: 'List the SSH certificates of a group',
  access: manageCertificatesAccess(),
  response: page(SshCertificate),
  read: (db, { group, page }) => listCertificates(db, group.id, page),
});

export const createSshCertificate = endpoint({
  post: '/groups/:id/ssh_certificates',
  summary: 'Create an SSH certificate of a group',
  access: manageCertificatesAccess(),
  params: { title: required(domainValidatedText(255)), key: required(domainValidatedText(5000)) },
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
  access: manageCertificatesAccess().resource(certificateResource),
  errors: { notFound: [404, CERTIFICATE_NOT_FOUND] },
  activity: ['delete_ssh_certificate'],
  response: noContent,
  write: (uow, { group, certificate }) => deleteCertificate(uow, group, certificate),
});
