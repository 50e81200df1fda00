import type { Families } from '../../http/endpoint/family.ts';
import { incidents } from './incidents/index.ts';

/** What is watched: alerts that other tools send, incidents that are made of them, errors that programs report. */
export const monitoring: Families = {
  incidents,
};
