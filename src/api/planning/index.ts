import type { Families } from '../../http/endpoint/family.ts';
import { issues } from './issues/index.ts';

/** What is planned and talked about. */
export const planning: Families = {
  issues,
};
