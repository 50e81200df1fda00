import { type SqlBool, sql } from 'kysely';
import { columnOf } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { callerOf } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import { inPieces, MORE, nothingToAsk, PIECE } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { todoVisibleTo } from '../todo-rows/index.ts';

/**
 * Who loses sight of what he had to do something about, has it no more to do, should he come to see it again too. Until this
 * is done lists leave it out.
 */

type Jobs = Pick<Services, 'database' | 'runUnitOfWork'>;

/** Where to-dos are looked at. */
interface Where {
  readonly column: 'project_id' | 'group_id' | 'issue_id' | 'merge_request_id' | 'epic_id';
  readonly id: number;
}

export const loseOfLeavers = subscription({
  event: 'membership-ended',
  inBackground: {
    kind: 'lose_todos_of_leaver',
    async handle({ database, runUnitOfWork }: Jobs, { userId, sourceType: type, sourceId: id }) {
      for (const where of await placesIn(database.reader, { type, id })) await loseOf(runUnitOfWork, where, userId);
    },
  },
});

export const loseOfTransferred = subscription({
  event: 'transferred',
  inBackground: { kind: 'lose_todos_of_transferred', handle: (jobs: Jobs, place) => loseInside(jobs, place) },
});

export const loseOfNarrowed = subscription({
  event: 'sight-narrowed',
  inBackground: { kind: 'lose_todos_of_narrowed', handle: (jobs: Jobs, place) => loseInside(jobs, place) },
});

export const loseOfHidden = subscription({
  event: 'thing-hidden',
  inBackground: {
    kind: 'lose_todos_of_hidden',
    handle: (jobs: Jobs, { type, id }) => loseAt(jobs, { column: columnOf(type), id }),
  },
});

interface Place {
  readonly type: 'group' | 'project';
  readonly id: number;
}

/** index: namespace_closure_by_ancestor, projects_by_namespace */
async function placesIn(db: Reader, { type, id }: Place): Promise<Where[]> {
  if (type === 'project') return [{ column: 'project_id', id }];
  const projects = await projectsInside(db, id).execute();
  const groups = await namespacesInside(db, id).execute();
  return [
    ...projects.map((project) => ({ column: 'project_id', id: project.id }) as const),
    ...groups.map((group) => ({ column: 'group_id', id: group.descendant_id }) as const),
  ];
}

async function loseInside(jobs: Jobs, place: Place): Promise<void> {
  for (const where of await placesIn(jobs.database.reader, place)) await loseAt(jobs, where);
}

/** Of all who have something to do there, one after the other. */
async function loseAt({ database, runUnitOfWork }: Jobs, where: Where): Promise<void> {
  for (let userId: number | null = 0; ; ) {
    userId = await nextUser(database.reader, where, userId);
    if (userId === null) return;
    await loseOf(runUnitOfWork, where, userId);
  }
}

/** index: todos_by_project, todos_by_group, todos_by_issue, todos_by_merge_request, todos_by_epic */
async function nextUser(db: Reader, { column, id }: Where, after: number): Promise<number | null> {
  const row = await db
    .selectFrom('todos')
    .select('user_id')
    .where(column, '=', id)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

async function loseOf(runUnitOfWork: Jobs['runUnitOfWork'], where: Where, userId: number): Promise<void> {
  let after = 0;
  await inPieces(runUnitOfWork, ANONYMOUS, {
    ask: nothingToAsk,
    async piece(uow) {
      const last = await loseSome(uow, where, userId, after);
      if (last !== null) after = last;
      return last === null ? undefined : MORE;
    },
  });
}

/** Some of the user's, those behind the id `after`; the last one's id, null when there are no more. index: todos_by_project, todos_by_group, todos_by_issue, todos_by_merge_request, todos_by_epic */
async function loseSome(uow: UnitOfWork, { column, id }: Where, userId: number, after: number): Promise<number | null> {
  const some = await uow
    .selectFrom('todos')
    .select('id')
    .where(column, '=', id)
    .where('user_id', '=', userId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PIECE)
    .execute();
  const last = some.at(-1);
  if (last === undefined) return null;
  const caller = await callerOf(uow, userId, null);
  const ids = some.map((todo) => todo.id);
  await uow
    .deleteFrom('todos')
    .where(isAmong(uow, sql<number>`todos.id`, ids))
    .where((eb) => sql<SqlBool>`not ${todoVisibleTo(caller, uow.today)(eb)}`)
    .execute();
  return last.id;
}
