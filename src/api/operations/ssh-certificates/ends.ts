import type { Group } from '../../../access/groups.ts';
import { placeOfNamespace } from '../../../access/routes.ts';
import type { Act } from '../../../facts/act.ts';
import { subscription } from '../../../facts/bus.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { type Refused, refused } from '../../../refused.ts';
import { recordCertificate } from './history.ts';
import { type Certificate, deleteBelowTheTop, deleteCertificate } from './store.ts';

/** Ends a group's trust in an authority, whose key is free from then on. */
export async function endCertificate(
  act: Act,
  group: Group,
  certificate: Certificate,
): Promise<undefined | Refused<'gone'>> {
  if (!(await deleteCertificate(act, certificate.id))) return refused('gone');
  await recordCertificate(act, group, 'delete_ssh_certificate', certificate);
}

/** Groups at the top alone have certificates: where nobody can remove them any more, they would hold their keys for ever. */
export const endInSubgroups = subscription<Rooms, 'transferred'>({
  fact: 'transferred',
  async inTransaction(act, { type, id }) {
    if (type === 'project') return;
    const ended = await deleteBelowTheTop(act, id);
    if (ended.length === 0) return;
    const { full_path } = await placeOfNamespace(act, id);
    for (const one of ended) await recordCertificate(act, { id, full_path }, 'delete_ssh_certificate', one);
  },
});
