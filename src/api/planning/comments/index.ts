import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** What was said on a commit, threads and all, in a form of its own; the rows are notes (`notes/`). */
export const comments = family({ endpoints });
