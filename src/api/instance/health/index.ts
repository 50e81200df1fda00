import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { addServerMetrics } from './metrics.ts';
export { checkMetricsToken } from './metrics-access.ts';
export { checkReadiness } from './readiness.ts';

export const health = resourceModule({ endpoints });
