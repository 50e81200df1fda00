import { activityHorizon } from '#activity/index.ts';
import { profileVisibleTo } from '#api/identity/users/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { findProjects } from '#domain/namespaces/projects.ts';
import type { Page } from '#http/lists/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { Base } from '#http/request/base-url.ts';
import { type Told, targetsOf } from './event-targets.ts';
import type { Filter } from './filter.ts';
import { anyEventBetween, type Feed, pageOfEvents } from './store.ts';

interface Asked extends Filter {
  readonly sort: 'asc' | 'desc';
  readonly page: OffsetRequest;
  readonly base: Base;
}

/** One page of a feed. The page is cut first, and then what the caller may not know is left out of it. */
export async function readFeed(
  db: Reader,
  caller: Caller,
  feed: Feed,
  { page, base, sort, ...filter }: Asked,
): Promise<Page<Told>> {
  const horizon = await horizonOf(db, base);
  const found = await pageOfEvents(db, caller, feed, { filter, horizon, sort }, page);
  const ids = [...new Set(found.items.map(({ project_id }) => project_id))];
  const projects = new Map((await findProjects(db, caller, ids)).map((project) => [project.id, project]));
  const placed = found.items.flatMap((event) => {
    const project = projects.get(event.project_id);
    return project === undefined ? [] : [{ event, project }];
  });
  return { ...found, items: await targetsOf(db, caller, placed) };
}

/**
 * Events of this moment and before are shown no more. The answer is asked for the moment only on a day on which some event
 * comes to its end: otherwise the day's beginning says the same, and the answer may be kept.
 */
async function horizonOf(db: Reader, base: Base): Promise<string> {
  const [first, last] = ['T00:00:00.000Z', 'T23:59:59.999Z'].map((time) => activityHorizon(`${db.today}${time}`)) as [
    string,
    string,
  ];
  return (await anyEventBetween(db, first, last)) ? activityHorizon(base.now) : first;
}

/** Who keeps his profile to himself, or has lost his account, is seen by himself and administrators. */
export function hidesActivity(caller: Caller, user: User): boolean {
  if (!profileVisibleTo(caller, user)) return true;
  const isOwn = isAdministrator(caller) || caller.user?.id === user.id;
  return !isOwn && user.confirmed_at === null && !user.bot;
}
