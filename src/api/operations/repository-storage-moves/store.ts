import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type ContainerKind, type DiskPathMove, getContainerKind } from './repository-kinds.ts';

export type Move = Selectable<Schema['storage_moves']>;

/** Returns the disk paths of the moved repositories, in the order of `Container.repositories`. */
export function parseDiskPaths({ repositories }: Move): readonly DiskPathMove[] {
  return JSON.parse(repositories) as DiskPathMove[];
}

/** Returns the id of the moved project, snippet or group. */
export function getContainerId(move: Move): number {
  return move[getContainerKind(move.kind).column] as number;
}

/** Returns a page of the moves of a kind, or of one container, newest first. */
export function listMoves(
  db: Reader,
  { name, column }: ContainerKind,
  containerId: number | null,
  page: OffsetRequest,
): Promise<Page<Move>> {
  // index: storage_moves_by_kind, storage_moves_by_project_id, storage_moves_by_snippet_id, storage_moves_by_group_id
  const allMoves = db.selectFrom('storage_moves').selectAll();
  const query = containerId === null ? allMoves.where('kind', '=', name) : allMoves.where(column, '=', containerId);
  return paginate(db, query.orderBy('created_at', 'desc').orderBy('id', 'desc'), page);
}

/** Returns a move of a kind or of one container, or null. index: storage_moves primary key */
export async function findMove(
  db: Reader,
  { name, column }: ContainerKind,
  id: number,
  containerId: number | null = null,
): Promise<Move | null> {
  const moveOfKind = db.selectFrom('storage_moves').selectAll().where('id', '=', id).where('kind', '=', name);
  const row = await (containerId === null ? moveOfKind : moveOfKind.where(column, '=', containerId)).executeTakeFirst();
  return row ?? null;
}

/** index: storage_moves primary key */
export function findMoveById(db: Reader, id: number): Promise<Move | undefined> {
  return db.selectFrom('storage_moves').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns moves in this state, oldest first. index: storage_moves_under_way */
export function listMovesInState(db: Reader, state: 'scheduled' | 'started', limit: number): Promise<Move[]> {
  const query = db.selectFrom('storage_moves').selectAll().where('state', '=', state);
  // Repeats the condition of the partial index, so that the database uses it.
  return query.where(sql<SqlBool>`state in ('scheduled', 'started')`).orderBy('id').limit(limit).execute();
}
