import { toPath } from '../addresses.ts';
import type { Client, Loaded, ResultOf } from '../api/call.ts';
import type { Query } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import { Time } from './time.tsx';

type ActivityEvent = ResultOf<'GET /users/:user_id/events'>[number];

/** An event with the full path of its project; null if the visitor can no longer see it. */
export interface EventInProject {
  readonly event: ActivityEvent;
  readonly project: string | null;
}

/** Declares a read of events. Events name their projects by id, so those that are not among the known ones are read too. */
export function queryEvents(
  load: (client: Client) => Promise<Loaded<readonly ActivityEvent[]>>,
  knownProjects: readonly { readonly id: number; readonly path_with_namespace: string }[],
): Query<readonly EventInProject[]> {
  return {
    refetchSeconds: null,
    async load(client) {
      const paths = pathsByClient.get(client) ?? new Map();
      pathsByClient.set(client, paths);
      for (const { id, path_with_namespace } of knownProjects) paths.set(id, Promise.resolve(path_with_namespace));
      const events = await load(client);
      const value = events.value.map(async (event) => ({
        event,
        project: await loadPath(client, paths, event.project_id),
      }));
      return { ...events, value: await Promise.all(value) };
    },
  };
}

/** The paths of projects that a client has read: many events have the same project, and pages are read again. */
const pathsByClient = new WeakMap<Client, ProjectPaths>();

type ProjectPaths = Map<number, Promise<string | null>>;

function loadPath(client: Client, paths: ProjectPaths, id: number): Promise<string | null> {
  const path =
    paths.get(id) ??
    client.call('GET /projects/:id', { id }).then(
      ({ value }) => value.path_with_namespace,
      // The event of a hidden or deleted project is shown without a link.
      () => null,
    );
  paths.set(id, path);
  return path;
}

/** Activity events of users, newest first. */
export function EventRows({
  events,
  location,
}: {
  readonly events: readonly EventInProject[];
  readonly location: PageLocation;
}) {
  return (
    <ul class="rows">
      {events.map(({ event, project }) => (
        <li key={event.id} class="row">
          <span class="row-main">
            {event.author === undefined ? null : <a href={event.author.web_url}>{event.author.name}</a>}{' '}
            {describe(event)} <Target event={event} project={project} location={location} />
          </span>
          <span class="row-facts quiet">
            {project === null ? null : <a href={location.toUrl(toPath('project', { project }))}>{project}</a>}
            <Time value={event.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Returns a description of the action, without the name of its target: `pushed to branch`, `opened issue`. */
function describe(event: ActivityEvent): string {
  const { action_name, push_data } = event;
  const { type: targetType } = findItem(event);
  if (push_data !== undefined) return `${action_name} ${push_data.ref_type}`;
  if (targetType === null) return action_name;
  const type = targetType.replace(/::.*/, '').replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `${action_name} ${type.toLowerCase()}`;
}

/** Returns the subject of an event; for comments, the object that they are on. */
function findItem({ note, target_type, target_iid }: ActivityEvent) {
  return note === undefined
    ? { type: target_type, iid: target_iid }
    : { type: note.noteable_type, iid: note.noteable_iid ?? null };
}

function Target({ event, project, location: { toUrl } }: EventInProject & { readonly location: PageLocation }) {
  const { push_data: push, target_title } = event;
  if (push !== undefined) {
    const name = push.ref ?? `${push.ref_count ?? 0} refs`;
    const isGone = project === null || push.ref === null || push.action === 'removed';
    return (
      <>
        {isGone ? <bdi>{name}</bdi> : <a href={toUrl(toPath('tree', { project, ref_path: name }))}>{name}</a>}
        {push.commit_title === null ? null : (
          <>
            : <bdi>{push.commit_title}</bdi>
          </>
        )}
      </>
    );
  }
  if (target_title === null) return null;
  const { type, iid } = findItem(event);
  const path = ITEM_PATHS[type ?? ''];
  if (path === undefined || project === null || iid === null) return <bdi>{target_title}</bdi>;
  return <a href={toUrl(`${toPath('project', { project })}/-/${path}/${iid}`)}>{target_title}</a>;
}

/** The addresses of items by the type of the target. */
const ITEM_PATHS: Readonly<Record<string, string>> = {
  Issue: 'issues',
  WorkItem: 'issues',
  MergeRequest: 'merge_requests',
  Milestone: 'milestones',
};
