import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { expireArtifacts, expireArtifactsDaily } from './expire.ts';

/** The files that jobs leave behind. */
export const artifacts = family({ endpoints, jobs: [expireArtifacts], schedules: [expireArtifactsDaily] });
