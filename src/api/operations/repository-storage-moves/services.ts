import type { Services } from '#http/services.ts';

/** What moving takes. */
export type MovingRooms = Pick<Services, 'database' | 'git' | 'clock' | 'log'>;
