import type { AnySubscription } from '#events/event-bus.ts';
import type { Job } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import type { Services } from '../services.ts';

/** What one folder of src/api brings along: each family's `index.ts` exports one, each wing's `index.ts` lists them. */
export interface Family {
  /** The module `endpoints.ts`: every endpoint that it exports, under the name of its export. */
  readonly endpoints: Readonly<Record<string, unknown>>;
  /** Work of the queue. */
  readonly jobs: readonly Job<Services, never>[];
  readonly schedules: readonly Schedule<Services>[];
  /** What the family wants to be told of; told in the order of the lists. */
  readonly subscriptions: readonly AnySubscription<Services>[];
}

export function family({
  endpoints,
  jobs = [],
  schedules = [],
  subscriptions = [],
}: Pick<Family, 'endpoints'> & Partial<Family>): Family {
  return { endpoints, jobs, schedules, subscriptions };
}

/** Folder -> its family: of a wing by the folder's name, of the whole API by the folder's path below src/api. */
export type Families = Readonly<Record<string, Family>>;

/** The wings' families in the order of the wings, each by its folder: `places/groups`. */
export function familiesOf(wings: Readonly<Record<string, Families>>): Families {
  return Object.fromEntries(
    Object.entries(wings).flatMap(([wing, families]) =>
      Object.entries(families).map(([folder, value]) => [`${wing}/${folder}`, value] as const),
    ),
  );
}
