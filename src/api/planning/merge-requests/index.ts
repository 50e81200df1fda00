import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of merge requests.
export { MergeRequestInList } from './entities.ts';
export { mergeRequestThing } from './thing.ts';

export const mergeRequests = family({ endpoints });
