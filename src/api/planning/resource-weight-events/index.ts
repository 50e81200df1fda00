import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export const resourceWeightEvents = resourceModule({ endpoints });
