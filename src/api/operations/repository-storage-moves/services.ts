import type { Services } from '#http/services.ts';

/** Services that moves use. */
export type MovingServices = Pick<Services, 'database' | 'git' | 'clock' | 'log'>;
