import type { Services } from '#http/services.ts';

/** What moving takes. */
export type MovingServices = Pick<Services, 'database' | 'git' | 'clock' | 'log'>;
