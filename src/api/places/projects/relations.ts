import type { Project } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { Git } from '../../../git/git.ts';
import { type UserBasicRow, usersById } from '../../identity/users/index.ts';
import { readmesOf } from './readme.ts';

/** What the wire shape of a project needs besides its row, loaded for a whole list at once. */

/** A namespace with its place, and with the user whose own it is. */
export interface NamespaceRow {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly kind: 'user' | 'group';
  readonly full_path: string;
  readonly parent_id: number | null;
  readonly owner_id: number | null;
}

// index: namespaces primary key, routes_by_namespace
const namespaceRows = prepareForIds((db, ids) =>
  db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select([
      'namespaces.id',
      'namespaces.name',
      'namespaces.path',
      'namespaces.kind',
      'routes.full_path',
      'namespaces.parent_id',
      'namespaces.owner_id',
    ])
    .where('namespaces.id', 'in', ids),
);

/** The namespaces of these projects by id. */
async function namespacesOf(db: Reader, projects: readonly Project[]): Promise<ReadonlyMap<number, NamespaceRow>> {
  const ids = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const rows = await namespaceRows(db, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface Relations {
  readonly namespaces: ReadonlyMap<number, NamespaceRow>;
  /** Users whose own namespaces these are. */
  readonly owners: ReadonlyMap<number, UserBasicRow>;
  /** Project -> its read-me file. */
  readonly readmes: ReadonlyMap<number, string>;
}

/** Two queries, however many projects there are; one when none of them is personal. */
export async function relationsOf(
  { db, git }: { db: Reader; git: Git },
  projects: readonly Project[],
): Promise<Relations> {
  const namespaces = await namespacesOf(db, projects);
  const ownerIds = [...namespaces.values()].flatMap(({ owner_id }) => owner_id ?? []);
  const [owners, readmes] = await Promise.all([usersById(db, ownerIds), readmesOf(git, projects)]);
  return { namespaces, owners, readmes };
}
