import type { UserBasicRow } from '#api/identity/users/index.ts';
import { type OpenIssues, openIssuesOf } from '#authorization/issues.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { type NamespaceRow, namespaceColumns } from '#domain/namespaces/namespaces.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { readmesOf } from '#repositories/readme.ts';

/** What the wire shape of a project needs besides its row, loaded for a whole list at once. */

/** A namespace and whose own it is: null of groups. */
interface Namespace extends NamespaceRow {
  readonly owner: UserBasicRow | null;
}

// index: namespaces primary key, routes_by_namespace, users primary key
const namespaceRows = prepareForIds((db, ids) =>
  db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .leftJoin('users as owner', 'owner.id', 'namespaces.owner_id')
    .select(namespaceColumns)
    .select([
      'owner.username as owner_username',
      'owner.name as owner_name',
      'owner.public_email as owner_public_email',
      'owner.state as owner_state',
      'owner.locked_until as owner_locked_until',
    ])
    .where('namespaces.id', 'in', ids),
);

/** The namespaces of these projects by id. */
async function namespacesOf(db: Reader, projects: readonly Project[]): Promise<ReadonlyMap<number, Namespace>> {
  const ids = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const rows = await namespaceRows(db, ids);
  return new Map(rows.map((row) => [row.id, { ...row, owner: ownerIn(row) }]));
}

type NamespaceAndOwner = Awaited<ReturnType<typeof namespaceRows>>[number];

function ownerIn(row: NamespaceAndOwner): UserBasicRow | null {
  const { owner_id, owner_username, owner_name, owner_state } = row;
  if (owner_id === null || owner_username === null || owner_name === null || owner_state === null) return null;
  return {
    id: owner_id,
    username: owner_username,
    name: owner_name,
    public_email: row.owner_public_email,
    state: owner_state,
    locked_until: row.owner_locked_until,
  };
}

/** What the simple form needs. */
export interface Surroundings {
  readonly namespaces: ReadonlyMap<number, Namespace>;
  /** Project -> its read-me file. */
  readonly readmes: ReadonlyMap<number, string>;
}

export interface Relations extends Surroundings {
  readonly openIssues: ReadonlyMap<number, OpenIssues>;
}

/** One query, however many projects there are. */
export async function surroundingsOf(
  projects: readonly Project[],
  to: Pick<SerializationContext, 'db' | 'git' | 'now'>,
): Promise<Surroundings> {
  // Whoever asks for the moment has an answer that holds for this moment only.
  const unread = () => void to.now;
  const [namespaces, readmes] = await Promise.all([namespacesOf(to.db, projects), readmesOf(to.git, projects, unread)]);
  return { namespaces, readmes };
}

/** Two queries, however many projects there are. */
export async function relationsOf(
  projects: readonly Project[],
  to: Pick<SerializationContext, 'db' | 'git' | 'now'>,
): Promise<Relations> {
  const ids = projects.map(({ id }) => id);
  const [surroundings, openIssues] = await Promise.all([surroundingsOf(projects, to), openIssuesOf(to.db, ids)]);
  return { ...surroundings, openIssues };
}
