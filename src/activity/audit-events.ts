import type { Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Transaction } from '#database/database.ts';
import type { AuditEntityType } from '#database/tables/activity.ts';
import type { AuditEventName } from './audit-event-names.ts';

/** What an audit event is about. */
type AuditEntity =
  | { readonly type: 'User' | 'Group' | 'Project'; readonly id: number; readonly path: string }
  | typeof INSTANCE;

/** Who did it, on which tier. */
interface Author {
  readonly actor: Caller;
  readonly tier: Tier;
}

/** The entity of what concerns the instance as a whole. */
export const INSTANCE = { type: 'Gitlab::Audit::InstanceScope', id: 1, path: 'gitlab_instance' } as const satisfies {
  type: AuditEntityType;
  id: number;
  path: string;
};

export interface AuditEvent {
  readonly name: AuditEventName;
  readonly entity: AuditEntity;
  /** What was changed; `details` is its name or path, as the contract says for the event. */
  readonly target: { readonly type: string; readonly id: number | null; readonly details: string };
  /** The event's `custom_message`. */
  readonly message: string;
  /** What the event has besides the keys of all events; undefined values are left out. Never a token, password or key. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The audit event of a change, recorded in the change's own transaction: contract/activity.md Part 3. Groups and projects
 * have an audit log from tier premium on: on tier free nothing is recorded for them. `details.author_email` is not stored:
 * who reads adds the author's present address.
 */
export async function recordAudit(tx: Transaction, { actor, tier }: Author, event: AuditEvent): Promise<void> {
  const { name, entity, target, message, details } = event;
  if (tier === 'free' && (entity.type === 'Group' || entity.type === 'Project')) return;
  const author = authorOf(actor);
  await tx
    .insertInto('audit_events')
    .values({
      author_id: author.id,
      entity_type: entity.type,
      entity_id: entity.id,
      event_name: name,
      details: JSON.stringify({
        ...details,
        event_name: name,
        author_name: author.name,
        author_class: author.class,
        target_id: target.id,
        target_type: target.type,
        target_details: target.details,
        custom_message: message,
        ip_address: actor.address,
        entity_path: entity.path,
      }),
      created_at: tx.now,
    })
    .execute();
}

/** Without a user it was a request that nobody signed, or, without an address too, Hearth itself. */
function authorOf({ user, address }: Caller): { id: number; name: string; class: string } {
  if (user) return { id: user.id, name: user.name, class: 'User' };
  const name = address === null ? '(System)' : 'An unauthenticated user';
  return { id: -1, name, class: 'Gitlab::Audit::UnauthenticatedAuthor' };
}

/**
 * Message and details of the events that tell of a changed attribute: `Changed <change> from <from> to <to>`. A blank side
 * is left out of the message, an undefined one of the details too (a password has neither).
 */
export function changed(
  change: string,
  from?: string | number | boolean | null,
  to?: string | number | boolean | null,
): Pick<AuditEvent, 'message' | 'details'> {
  const [before, after] = [shown(from), shown(to)];
  const message = `Changed ${change}${before ? ` from ${before}` : ''}${after ? ` to ${after}` : ''}`;
  return { message, details: { change, from: before, to: after } };
}

function shown(value: string | number | boolean | null | undefined): string | undefined {
  return value === undefined ? undefined : String(value ?? '');
}
