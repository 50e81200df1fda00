import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

/** How runners come by their jobs. */
export const jobRequests = family({ endpoints });
