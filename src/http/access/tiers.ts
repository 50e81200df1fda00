import { forbidden } from '../errors/http-error.ts';
import type { AccessCall } from './access.ts';

/** For `.require(...)`: throws 403 on the tier `free` (contract/conventions.md §11). */
export function forbidOnFreeTier({ services }: Pick<AccessCall, 'services'>): void {
  if (services.config.tier === 'free') throw forbidden();
}
