import type { Group } from '#domain/namespaces/groups.ts';
import { getNamespacePath } from '#domain/namespaces/routes.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordCertificate } from './activity.ts';
import { type Certificate, deleteBelowTheTop, deleteCertificate } from './store.ts';

/** Ends a group's trust in an authority, whose key is free from then on. */
export async function endCertificate(
  uow: UnitOfWork,
  group: Group,
  certificate: Certificate,
): Promise<undefined | Failure<'gone'>> {
  if (!(await deleteCertificate(uow, certificate.id))) return fail('gone');
  await recordCertificate(uow, group, 'delete_ssh_certificate', certificate);
}

/** Groups at the top alone have certificates: where nobody can remove them any more, they would hold their keys for ever. */
export const endInSubgroups = subscription<Services, 'group-or-project-transferred'>({
  event: 'group-or-project-transferred',
  async inTransaction(uow, { type, id }) {
    if (type === 'project') return;
    const ended = await deleteBelowTheTop(uow, id);
    if (ended.length === 0) return;
    const { full_path } = await getNamespacePath(uow, id);
    for (const one of ended) await recordCertificate(uow, { id, full_path }, 'delete_ssh_certificate', one);
  },
});
