import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Certificate } from './store.ts';

const MESSAGES = { create_ssh_certificate: 'Created', delete_ssh_certificate: 'Deleted' } as const;

/** Records an audit event of a certificate in its group (contract/activity.md Part 3). */
export function recordCertificateEvent(
  uow: UnitOfWork,
  { id, full_path: path }: { readonly id: number; readonly full_path: string },
  name: keyof typeof MESSAGES,
  certificate: Pick<Certificate, 'id' | 'title'>,
): Promise<void> {
  return uow.record({
    name,
    entity: { type: 'Group', id, path },
    target: { type: 'Groups::SshCertificate', id: certificate.id, details: certificate.title },
    message: `${MESSAGES[name]} SSH certificate with id ${certificate.id} and title ${certificate.title}`,
  });
}
