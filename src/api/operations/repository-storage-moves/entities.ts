import { sql } from 'kysely';
import { Type } from 'typebox';
import { SnippetIdentity } from '#api/code/snippets/index.ts';
import { ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { isInIds } from '#database/dialect.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import type { ContainerKind } from './repository-kinds.ts';
import type { Move } from './store.ts';

// Entities of moves, one per kind of container (contract/operations.md §2, "Single POST").

const moveFields = {
  id: Type.Integer(),
  created_at: dateTime,
  state: Type.String(),
  source_storage_name: Type.String(),
  destination_storage_name: Type.String(),
  error_message: nullable(Type.String()),
};

function toMoveValues(move: Move) {
  return {
    id: move.id,
    created_at: move.created_at,
    state: move.state,
    source_storage_name: move.source_storage,
    destination_storage_name: move.destination_storage,
    // A failed move stays `started` until its rollback is complete; its message is hidden until then.
    error_message: move.state === 'started' ? null : move.error_message,
  };
}

/** Returns the distinct ids of the moved containers, which are all of one kind. */
const listContainerIds = (moves: readonly Move[], column: ContainerKind['column']) => [
  ...new Set(moves.map((move) => move[column] as number)),
];

const GroupIdentity = entity('GroupIdentity', { id: Type.Integer(), web_url: Type.String(), name: Type.String() });

const ProjectMove = entity('ProjectStorageMove', { ...moveFields, project: ProjectIdentity.schema }).from(
  async (moves: readonly Move[], context) => {
    // index: projects primary key, routes_by_project
    const rows = await context.db
      .selectFrom('projects')
      .innerJoin('routes', 'routes.project_id', 'projects.id')
      .select(['projects.id', 'description', 'name', 'full_name', 'path', 'full_path', 'projects.created_at'])
      .where(isInIds(context.db, sql<number>`projects.id`, listContainerIds(moves, 'project_id')))
      .execute();
    return new Map(rows.map((row) => [row.id, ProjectIdentity.serialize(row, context)]));
  },
  (move, _context, projects) => ({ ...toMoveValues(move), project: projects.get(move.project_id!)! }),
);

const SnippetMove = entity('SnippetStorageMove', { ...moveFields, snippet: SnippetIdentity.schema }).from(
  async (moves: readonly Move[], context) => {
    // index: snippets primary key
    const rows = await context.db
      .selectFrom('snippets')
      .selectAll()
      .where(isInIds(context.db, sql<number>`id`, listContainerIds(moves, 'snippet_id')))
      .execute();
    const serialized = await SnippetIdentity.serializeAll(rows, context);
    return new Map(serialized.map((snippet) => [snippet.id, snippet]));
  },
  (move, _context, snippets) => ({ ...toMoveValues(move), snippet: snippets.get(move.snippet_id!)! }),
);

const GroupMove = entity('GroupStorageMove', { ...moveFields, group: GroupIdentity.schema }).from(
  async (moves: readonly Move[], context) => {
    // index: namespaces primary key, routes_by_namespace
    const rows = await context.db
      .selectFrom('namespaces')
      .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
      .select(['namespaces.id', 'namespaces.name', 'routes.full_path'])
      .where(isInIds(context.db, sql<number>`namespaces.id`, listContainerIds(moves, 'group_id')))
      .execute();
    return new Map(
      rows.map(({ id, name, full_path }) => [id, { id, web_url: `${context.url}/groups/${full_path}`, name }]),
    );
  },
  (move, _context, groups) => ({ ...toMoveValues(move), group: groups.get(move.group_id!)! }),
);

const ENTITIES_BY_KIND = { project: ProjectMove, snippet: SnippetMove, group: GroupMove };

/** Returns the entity of moves of this kind. */
export function getMoveEntity({ name }: ContainerKind) {
  return ENTITIES_BY_KIND[name] as unknown as typeof ProjectMove;
}
