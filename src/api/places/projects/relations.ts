import { type OpenIssues, openIssuesOf } from '../../../access/issues.ts';
import { type NamespaceRow, namespaceColumns } from '../../../access/namespaces.ts';
import type { Project } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { Showing } from '../../../http/endpoint/entity.ts';
import { readmesOf } from '../../../repositories/readme.ts';
import { type UserBasicRow, usersById } from '../../identity/users/index.ts';

/** What the wire shape of a project needs besides its row, loaded for a whole list at once. */

// index: namespaces primary key, routes_by_namespace
const namespaceRows = prepareForIds((db, ids) =>
  db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .where('namespaces.id', 'in', ids),
);

/** The namespaces of these projects by id. */
async function namespacesOf(db: Reader, projects: readonly Project[]): Promise<ReadonlyMap<number, NamespaceRow>> {
  const ids = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const rows = await namespaceRows(db, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

/** What the simple form needs. */
export interface Surroundings {
  readonly namespaces: ReadonlyMap<number, NamespaceRow>;
  /** Project -> its read-me file. */
  readonly readmes: ReadonlyMap<number, string>;
}

export interface Relations extends Surroundings {
  /** Users whose own namespaces these are. */
  readonly owners: ReadonlyMap<number, UserBasicRow>;
  readonly openIssues: ReadonlyMap<number, OpenIssues>;
}

/** One query, however many projects there are. */
export async function surroundingsOf(
  projects: readonly Project[],
  to: Pick<Showing, 'db' | 'git' | 'now'>,
): Promise<Surroundings> {
  // Whoever asks for the moment has an answer that holds for this moment only.
  const unread = () => void to.now;
  const [namespaces, readmes] = await Promise.all([namespacesOf(to.db, projects), readmesOf(to.git, projects, unread)]);
  return { namespaces, readmes };
}

/** Three queries, however many projects there are; two when none of them is personal. */
export async function relationsOf(
  projects: readonly Project[],
  to: Pick<Showing, 'db' | 'git' | 'now'>,
): Promise<Relations> {
  const surroundings = await surroundingsOf(projects, to);
  const ownerIds = [...surroundings.namespaces.values()].map(({ owner_id }) => owner_id);
  const [owners, openIssues] = [
    await usersById(to.db, ownerIds),
    await openIssuesOf(
      to.db,
      projects.map(({ id }) => id),
    ),
  ];
  return { ...surroundings, owners, openIssues };
}
