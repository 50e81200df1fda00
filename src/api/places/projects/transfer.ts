import { addMembership, changeMembership, findMembership } from '../../../access/memberships.ts';
import type { Project } from '../../../access/projects.ts';
import { OWNER } from '../../../access/roles.ts';
import { childOf, placeOfNamespace } from '../../../access/routes.ts';
import type { Config } from '../../../config.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/bus.ts';
import { changed } from '../../../history/index.ts';
import type { Caller } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { auditProject, visibilityChange } from './audit.ts';
import { moveTo } from './place.ts';
import { orTaken, takenFields } from './taken.ts';
import { belongsTo, findTarget, mayPutProjects, type Target } from './target.ts';
import { visibilityIn } from './values.ts';

interface TransferRooms {
  readonly database: Database;
  readonly config: Pick<Config, 'tier'>;
  readonly facts: FactBus;
}

/** Their texts, for the endpoints that move projects. */
export const TRANSFER_REFUSALS = {
  noNamespace: [404, '404 Namespace Not Found'],
  sameNamespace: [400, 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}'],
  notPermitted: [
    400,
    'Failed to transfer project {:new_namespace=>["You don\'t have permission to transfer projects into that namespace."]}',
  ],
  taken: [
    400,
    'Failed to transfer project {:new_namespace=>["Project with same name or path in target namespace already exists"]}',
  ],
} as const;

export type TransferRefusal = 'noNamespace' | 'sameNamespace' | 'notPermitted' | 'taken' | 'gone';

/** Moves a project to another namespace; it becomes no more visible than what it comes into. `target` null: there is none. */
export async function transfer(
  rooms: TransferRooms,
  caller: Caller,
  project: Project,
  target: Target | null,
): Promise<{ moved: true } | Refused<TransferRefusal>> {
  if (target === null) return refused('noNamespace');
  const work = () => rooms.database.transaction((tx) => move(tx, rooms, { caller, project, target }));
  const done = await orTaken(work, () => refused('taken'));
  return isRefused(done) ? (done as Refused<TransferRefusal>) : { moved: true };
}

interface Transfer {
  readonly caller: Caller;
  readonly project: Project;
  readonly target: Target;
}

/** The target is read again: it may have got another path, visibility or owner since, or be gone. */
async function move(tx: Transaction, { facts, config }: TransferRooms, { caller, project, target: seen }: Transfer) {
  const target = await findTarget(tx, String(seen.id), { caller, today: tx.now.slice(0, 10) });
  if (target === null || !belongsTo(caller, target)) return refused('noNamespace');
  // index: projects primary key
  const before = await tx
    .selectFrom('projects')
    .select(['namespace_id', 'name', 'path', 'visibility'])
    .where('id', '=', project.id)
    .executeTakeFirst();
  if (before === undefined) return refused('gone');
  if (before.namespace_id === target.id) return refused('sameNamespace');
  if (!(await mayPutProjects(tx, caller, target))) return refused('notPermitted');
  const from = await placeOfNamespace(tx, before.namespace_id);
  const place = childOf(target, before.path, before.name);
  const taken = await takenFields(tx, { namespaceId: target.id, name: before.name, fullPath: place.full_path });
  if (taken.length > 0) return refused('taken');
  const visibility = visibilityIn(target, before.visibility);
  await tx
    .updateTable('projects')
    .set({ namespace_id: target.id, visibility, updated_at: tx.now })
    .where('id', '=', project.id)
    .execute();
  await moveTo(tx, facts, project, place);
  if (target.owner_id !== null) await ensureOwner(tx, project.id, target.owner_id, caller);
  const audit = { caller, tier: config.tier };
  const moved = { id: project.id, full_path: place.full_path };
  if (visibility !== before.visibility)
    await auditProject(tx, audit, moved, visibilityChange(before.visibility, visibility));
  const change = changed('namespace', from.full_path, target.full_path);
  await auditProject(tx, audit, moved, { name: 'project_namespace_updated', ...change });
  return null;
}

/** Who owns a personal namespace owns its projects by a row of his own. */
async function ensureOwner(tx: Transaction, projectId: number, ownerId: number, caller: Caller): Promise<void> {
  const source = { type: 'project', id: projectId } as const;
  const own = await findMembership(tx, source, ownerId);
  if (own) await changeMembership(tx, own.id, { access_level: OWNER, expires_at: null });
  else await addMembership(tx, source, { userId: ownerId, accessLevel: OWNER, createdById: caller.user?.id ?? null });
}
