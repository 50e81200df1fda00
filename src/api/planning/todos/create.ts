import type { Resource } from '#activity/index.ts';
import type { TodoAction } from '#database/tables/todos.ts';
import type { Act } from '#events/unit-of-work.ts';
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
  act: Act,
  { resource, place: { projectId, groupId }, authorId }: Told,
  action: TodoAction,
  userIds: readonly number[],
): Promise<void> {
  const wanted = [...new Set(userIds)].map((userId) => ({ userId, action }));
  const cause = { target: resource, projectId, groupId, authorId: act.by.user?.id ?? authorId };
  await insertTodos(act, cause, wanted);
}

/** Gives something to do to whom a text on the thing names, so far as he may read it: to so many as a text can name. */
export async function giveToNamed(
  act: Act,
  about: Resource,
  { text, before = '', noteId = null, internal }: Naming,
): Promise<void> {
  if (act.by.user === null) return;
  const known = new Set(namedIn(before).map(({ name }) => name));
  const named = namedIn(text).filter(({ name }) => !known.has(name));
  const users = await usersAt(
    act,
    named.map(({ name }) => name),
  );
  if (users.size === 0) return;
  const told = await findTold(act, about);
  if (told === null) return;
  const readers = new Set(await told.readers(act, [...users.values()], internal));
  const wanted = named.flatMap(({ name, directly }) => {
    const userId = users.get(name);
    if (userId === undefined || !readers.has(userId)) return [];
    return [{ userId, action: directly ? ('directly_addressed' as const) : ('mentioned' as const) }];
  });
  const { projectId, groupId } = told.place;
  await insertTodos(act, { target: about, projectId, groupId, authorId: act.by.user.id, noteId }, wanted);
}
