import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { expireArtifacts, expireArtifactsDaily } from './expire.ts';

/** Job artifacts. */
export const artifacts = resourceModule({ endpoints, jobs: [expireArtifacts], schedules: [expireArtifactsDaily] });
