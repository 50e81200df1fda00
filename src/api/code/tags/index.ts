import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { createTagAt } from './create.ts';

export const tags = resourceModule({ endpoints });
