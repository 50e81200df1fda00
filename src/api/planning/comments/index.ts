import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Comments on commits, threads included. Their rows are notes (`notes/`). */
export const comments = resourceModule({ endpoints });
