import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

/** Taking in what programs report by themselves. */
export const envelopes = family({ endpoints });
