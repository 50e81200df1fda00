import { forbidden } from '../errors/http-error.ts';
import type { AccessCall } from './access.ts';

/** For `.and(...)`: what tier free lacks nobody reaches there (contract/conventions.md §11). */
export function refuseOnFree({ services }: Pick<AccessCall, 'services'>): void {
  if (services.config.tier === 'free') throw forbidden();
}
