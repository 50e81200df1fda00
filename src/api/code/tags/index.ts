import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { createTagAt } from './changes.ts';

export const tags = resourceModule({ endpoints });
