import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** What a merge request was compared with, each time its head or its target branch became another. */
export const versions = family({ endpoints });
