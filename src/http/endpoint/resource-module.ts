import type { AnySubscription } from '#events/event-bus.ts';
import type { JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import type { PushOptionHandler } from '#repositories/ref-updates/push-options.ts';
import type { Services } from '../services.ts';

/**
 * Endpoints, jobs, schedules and subscriptions of one folder of src/api. The `index.ts` of each resource exports one;
 * the `index.ts` of each area lists them.
 */
export interface ResourceModule {
  /** The module `endpoints.ts`: every exported endpoint, by the name of its export. */
  readonly endpoints: Readonly<Record<string, unknown>>;
  /** Endpoint name -> declaring file below src/api, for endpoints that `endpoints.ts` only re-exports. */
  readonly sources: Readonly<Record<string, string>>;
  /** Handlers of the job queue. */
  readonly jobs: readonly JobDefinition<Services, never>[];
  readonly schedules: readonly Schedule<Services>[];
  /** Subscriptions to domain events, which run in the order of the areas and resources. */
  readonly subscriptions: readonly AnySubscription<Services>[];
  /** Handlers of push options that are carried out before the push is answered. */
  readonly pushOptionHandlers: readonly PushOptionHandler[];
}

/** Returns a resource module, with empty lists for omitted parts. */
export function resourceModule({
  endpoints,
  jobs = [],
  schedules = [],
  subscriptions = [],
  pushOptionHandlers = [],
}: Pick<ResourceModule, 'endpoints'> & Partial<Omit<ResourceModule, 'sources'>>): ResourceModule {
  return { endpoints, sources: {}, jobs, schedules, subscriptions, pushOptionHandlers };
}

/** Folder -> resource module: in an area by the name of the folder, in the whole API by its path below src/api. */
export type ResourceModules = Readonly<Record<string, ResourceModule>>;

/** Returns the modules of all areas in the order of the areas, keyed by folder path (`namespaces/groups`). */
export function collectResourceModules(
  areas: Readonly<Record<string, ResourceModules>>,
  sources: Readonly<Record<string, string>>,
): ResourceModules {
  return Object.fromEntries(
    Object.entries(areas).flatMap(([area, modules]) =>
      Object.entries(modules).map(([folder, module]) => [`${area}/${folder}`, { ...module, sources }] as const),
    ),
  );
}
