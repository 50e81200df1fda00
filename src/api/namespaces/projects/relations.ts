import { type Expression, expressionBuilder } from 'kysely';
import { type CustomAttributesById, loadRequestedCustomAttributes } from '#api/identity/custom-attributes/index.ts';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import type { Reader, Schema } from '#database/database.ts';
import { toZeroOrOne } from '#database/dialect.ts';
import { prepareForIds } from '#database/prepare.ts';
import { type NamespaceRow, namespaceColumns } from '#domain/namespaces/namespaces.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { loadReadmes } from '#repositories/readme.ts';
import { loadTopicNames } from '../topics/index.ts';

// Loads the related data of project entities for a whole list.

/** A namespace with its owner, who is null for groups. */
interface NamespaceWithOwner extends NamespaceRow {
  readonly owner: UserBasicRow | null;
}

// index: projects primary key, namespaces primary key, routes_by_namespace, users primary key, project_topics_pkey
const buildSimpleQuery = (db: Reader, ids: Expression<number>) =>
  db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .leftJoin('users as owner', 'owner.id', 'namespaces.owner_id')
    .select('projects.id as project_id')
    .select(namespaceColumns)
    .select([
      'owner.username as owner_username',
      'owner.name as owner_name',
      'owner.public_email as owner_public_email',
      'owner.state as owner_state',
      'owner.locked_until as owner_locked_until',
    ])
    .select((eb) =>
      toZeroOrOne(
        eb.exists(
          eb
            .selectFrom('project_topics')
            .select('project_topics.topic_id')
            .whereRef('project_topics.project_id', '=', 'projects.id'),
        ),
      ).as('has_topics'),
    )
    .where('projects.id', 'in', ids);

const selectSimpleRelations = prepareForIds(buildSimpleQuery);

// index: issues_by_project_state
const selectRelations = prepareForIds((db, ids) => {
  const countOpenIssues = (isConfidential: boolean) =>
    expressionBuilder<Schema, 'projects'>()
      .selectFrom('issues')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .whereRef('issues.project_id', '=', 'projects.id')
      .where('issues.state', '=', 'opened')
      .where('issues.confidential', '=', isConfidential)
      .$asScalar()
      .$notNull();
  return buildSimpleQuery(db, ids).select([
    countOpenIssues(false).as('open_issues'),
    countOpenIssues(true).as('open_confidential_issues'),
  ]);
});

type SimpleRelationsRow = Awaited<ReturnType<typeof selectSimpleRelations>>[number];
type RelationsRow = Awaited<ReturnType<typeof selectRelations>>[number];

/** Returns the owner of a personal namespace; null for groups. */
function toOwner(row: SimpleRelationsRow): UserBasicRow | null {
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
  /** The namespaces by id of their projects. */
  readonly namespaces: ReadonlyMap<number, NamespaceWithOwner>;
  /** Project id -> name of the README file. */
  readonly readmes: ReadonlyMap<number, string>;
  /** Project id -> names of its topics, in their order. */
  readonly topicNames: ReadonlyMap<number, readonly string[]>;
  /** Null unless requested. */
  readonly customAttributes: CustomAttributesById | null;
}

/** Numbers of open issues of a project: `open` counts those that are not confidential. */
interface OpenIssueCounts {
  readonly open: number;
  readonly confidential: number;
}

/** Relations of `Project`. */
export interface ProjectRelations extends SimpleProjectRelations {
  /** The counts by project id. */
  readonly openIssues: ReadonlyMap<number, OpenIssueCounts>;
}

/** Dependencies of the functions that load relations. */
type RelationsContext = Pick<SerializationContext, 'db' | 'git' | 'now' | 'caller' | 'params'>;

/** Loads the relations of `ProjectSimple`: one query, and one more for topics and for custom attributes, if there are any. */
export async function loadSimpleProjectRelations(
  projects: readonly Project[],
  context: RelationsContext,
): Promise<SimpleProjectRelations> {
  return (await loadRelations(selectSimpleRelations, projects, context)).relations;
}

/** Loads the relations of `Project`, with as many queries. */
export async function loadProjectRelations(
  projects: readonly Project[],
  context: RelationsContext,
): Promise<ProjectRelations> {
  const { rows, relations } = await loadRelations<RelationsRow>(selectRelations, projects, context);
  const openIssues = new Map(
    rows.map((row) => [row.project_id, { open: row.open_issues, confidential: row.open_confidential_issues }]),
  );
  return { ...relations, openIssues };
}

async function loadRelations<Row extends SimpleRelationsRow>(
  select: (db: Reader, ids: readonly number[]) => Promise<Row[]>,
  projects: readonly Project[],
  context: RelationsContext,
): Promise<{ readonly rows: readonly Row[]; readonly relations: SimpleProjectRelations }> {
  // Reading `now` marks the response as dependent on the time, so that it is not cached.
  const markTimeDependent = () => void context.now;
  const ids = projects.map(({ id }) => id);
  const [rows, readmes, customAttributes] = await Promise.all([
    select(context.db, ids),
    loadReadmes(context.git, projects, markTimeDependent),
    loadRequestedCustomAttributes(context, 'project', projects),
  ]);
  const idsWithTopics = rows.filter(({ has_topics }) => has_topics === 1).map(({ project_id }) => project_id);
  const namespaces = new Map(rows.map((row) => [row.project_id, { ...row, owner: toOwner(row) }]));
  const topicNames = await loadTopicNames(context.db, idsWithTopics);
  return { rows, relations: { namespaces, readmes, topicNames, customAttributes } };
}
