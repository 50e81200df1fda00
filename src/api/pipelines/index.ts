import type { Families } from '../../http/endpoint/family.ts';
import { traces } from './traces/index.ts';

/** What is run of a repository, and who runs it. */
export const pipelines: Families = { traces };
