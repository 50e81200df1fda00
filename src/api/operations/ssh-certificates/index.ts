import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endInSubgroups } from './ends.ts';

export const sshCertificates = family({ endpoints, subscriptions: [endInSubgroups] });
