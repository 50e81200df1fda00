import { type CustomAttributesById, loadRequestedCustomAttributes } from '#api/identity/custom-attributes/index.ts';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import { loadOpenIssueCounts, type OpenIssueCounts } from '#authorization/issues.ts';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { type NamespaceRow, namespaceColumns } from '#domain/namespaces/namespaces.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { loadReadmes } from '#repositories/readme.ts';
import { loadTopicNames } from '../topics/index.ts';

// Loads the related data of project entities for a whole list at once.

/** A namespace with its owner, who is null for groups. */
interface NamespaceWithOwner extends NamespaceRow {
  readonly owner: UserBasicRow | null;
}

// index: namespaces primary key, routes_by_namespace, users primary key
const selectNamespaces = prepareForIds((db, ids) =>
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

/** Loads the namespaces of these projects, by id. */
async function loadNamespaces(
  db: Reader,
  projects: readonly Project[],
): Promise<ReadonlyMap<number, NamespaceWithOwner>> {
  const ids = [...new Set(projects.map(({ namespace_id }) => namespace_id))];
  const rows = await selectNamespaces(db, ids);
  return new Map(rows.map((row) => [row.id, { ...row, owner: toOwner(row) }]));
}

type NamespaceAndOwnerColumns = Awaited<ReturnType<typeof selectNamespaces>>[number];

/** Returns the owner of a personal namespace; null for groups. */
function toOwner(row: NamespaceAndOwnerColumns): UserBasicRow | null {
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

/** Relations of `ProjectSimple`. */
export interface SimpleProjectRelations {
  readonly namespaces: ReadonlyMap<number, NamespaceWithOwner>;
  /** Project id -> name of the README file. */
  readonly readmes: ReadonlyMap<number, string>;
  /** Project id -> names of its topics, in their order. */
  readonly topicNames: ReadonlyMap<number, readonly string[]>;
  /** Null unless requested. */
  readonly customAttributes: CustomAttributesById | null;
}

/** Relations of `Project`. */
export interface ProjectRelations extends SimpleProjectRelations {
  readonly openIssues: ReadonlyMap<number, OpenIssueCounts>;
}

/** What loading relations needs. */
type RelationsContext = Pick<SerializationContext, 'db' | 'git' | 'now' | 'caller' | 'params'>;

/** Loads the relations of `ProjectSimple` with two queries, and one more if custom attributes are requested. */
export async function loadSimpleProjectRelations(
  projects: readonly Project[],
  context: RelationsContext,
): Promise<SimpleProjectRelations> {
  // Reading `now` marks the response as dependent on the time, so that it is not cached.
  const markTimeDependent = () => void context.now;
  const ids = projects.map(({ id }) => id);
  const [namespaces, readmes, topicNames, customAttributes] = await Promise.all([
    loadNamespaces(context.db, projects),
    loadReadmes(context.git, projects, markTimeDependent),
    loadTopicNames(context.db, ids),
    loadRequestedCustomAttributes(context, 'project', projects),
  ]);
  return { namespaces, readmes, topicNames, customAttributes };
}

/** Loads the relations of `Project` with three queries. */
export async function loadProjectRelations(
  projects: readonly Project[],
  context: RelationsContext,
): Promise<ProjectRelations> {
  const ids = projects.map(({ id }) => id);
  const [simpleRelations, openIssues] = await Promise.all([
    loadSimpleProjectRelations(projects, context),
    loadOpenIssueCounts(context.db, ids),
  ]);
  return { ...simpleRelations, openIssues };
}
