import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

export const wikis = family({ endpoints });
