import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** What others than runners say of commits. */
export const statuses = resourceModule({ endpoints });
