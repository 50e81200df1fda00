import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Trying CI files without running them. */
export const lint = family({ endpoints });
