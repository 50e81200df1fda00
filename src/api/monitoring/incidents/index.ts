import { family } from '../../../http/endpoint/family.ts';

/** What becomes of alerts besides: incidents, which have the endpoints of issues (contract/monitoring.md §7). */
export const incidents = family({ endpoints: {} });
