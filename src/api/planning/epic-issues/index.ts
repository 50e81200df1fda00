import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** The issues of epics. */
export const epicIssues = resourceModule({ endpoints });
