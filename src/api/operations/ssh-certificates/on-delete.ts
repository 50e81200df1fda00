import type { Group } from '#domain/namespaces/groups.ts';
import { getNamespacePath } from '#domain/namespaces/routes.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordCertificateEvent } from './activity.ts';
import { type Certificate, deleteCertificateRow, deleteCertificatesOfSubgroup } from './store.ts';

/** Deletes a certificate; its key can then be added again. */
export async function deleteCertificate(
  uow: UnitOfWork,
  group: Group,
  certificate: Certificate,
): Promise<undefined | Failure<'notFound'>> {
  if (!(await deleteCertificateRow(uow, certificate.id))) return fail('notFound');
  await recordCertificateEvent(uow, group, 'delete_ssh_certificate', certificate);
}

/**
 * Deletes the certificates of a group that becomes a subgroup. Otherwise their keys would stay taken, and no endpoint
 * could delete them.
 */
export const onGroupTransferred = defineSubscription<Services, 'group-or-project-transferred'>({
  event: 'group-or-project-transferred',
  async inTransaction(uow, { type, id }) {
    if (type === 'project') return;
    const deletedCertificates = await deleteCertificatesOfSubgroup(uow, id);
    if (deletedCertificates.length === 0) return;
    const { full_path } = await getNamespacePath(uow, id);
    for (const certificate of deletedCertificates)
      await recordCertificateEvent(uow, { id, full_path }, 'delete_ssh_certificate', certificate);
  },
});
