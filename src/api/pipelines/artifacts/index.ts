import { resourceModule } from '#http/endpoint/resource-module.ts';
import { expireArtifacts, expireArtifactsDaily } from './changes.ts';
import * as endpoints from './endpoints.ts';

/** Job artifacts. */
export const artifacts = resourceModule({ endpoints, jobs: [expireArtifacts], schedules: [expireArtifactsDaily] });
