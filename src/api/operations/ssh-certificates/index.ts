import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endInSubgroups } from './on-delete.ts';

export const sshCertificates = family({ endpoints, subscriptions: [endInSubgroups] });
