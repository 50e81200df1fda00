import { forbidden } from '../errors/http-error.ts';
import type { AccessCall } from './access.ts';

/** For `.and(...)`: what tier free lacks nobody reaches there (contract/conventions.md §11). */
export function refuseOnFree({ rooms }: Pick<AccessCall, 'rooms'>): void {
  if (rooms.config.tier === 'free') throw forbidden();
}
