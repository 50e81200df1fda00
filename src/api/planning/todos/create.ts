import type { Resource } from '#activity/index.ts';
import type { TodoAction } from '#database/tables/todos.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findTold, namedIn, type Told, usersAt } from '../mail-messages/index.ts';
import { insertTodos } from '../todo-rows/index.ts';

/** To-dos that what happens gives to users. */

/** Whom a text gives something to do. */
interface Naming {
  readonly text: string;
  /** What it said before: whom that named has been told. */
  readonly before?: string;
  readonly noteId?: number | null;
  /** For members only. */
  readonly internal: boolean;
}

/** Gives these users something to do on the thing, by whoever acts, else in its author's name. */
export async function give(
  uow: UnitOfWork,
  { resource, place: { projectId, groupId }, authorId }: Told,
  action: TodoAction,
  userIds: readonly number[],
): Promise<void> {
  const wanted = [...new Set(userIds)].map((userId) => ({ userId, action }));
  const cause = { target: resource, projectId, groupId, authorId: uow.actor.user?.id ?? authorId };
  await insertTodos(uow, cause, wanted);
}

/** Gives something to do to whom a text on the thing names, so far as he may read it: to so many as a text can name. */
export async function giveToNamed(
  uow: UnitOfWork,
  about: Resource,
  { text, before = '', noteId = null, internal }: Naming,
): Promise<void> {
  if (uow.actor.user === null) return;
  const known = new Set(namedIn(before).map(({ name }) => name));
  const named = namedIn(text).filter(({ name }) => !known.has(name));
  const users = await usersAt(
    uow,
    named.map(({ name }) => name),
  );
  if (users.size === 0) return;
  const told = await findTold(uow, about);
  if (told === null) return;
  const readers = new Set(await told.readers(uow, [...users.values()], internal));
  const wanted = named.flatMap(({ name, directly }) => {
    const userId = users.get(name);
    if (userId === undefined || !readers.has(userId)) return [];
    return [{ userId, action: directly ? ('directly_addressed' as const) : ('mentioned' as const) }];
  });
  const { projectId, groupId } = told.place;
  await insertTodos(uow, { target: about, projectId, groupId, authorId: uow.actor.user.id, noteId }, wanted);
}
