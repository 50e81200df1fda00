import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Versions of merge requests: one for each head or target branch. */
export const versions = resourceModule({ endpoints });
