import type { Project as Row } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import type { ShapeOf } from '../../../http/endpoint/entity.ts';
import type { Caller } from '../../../identity/caller.ts';
import { EmbeddedProject } from './entities.ts';

/** What a handler hands over to have projects shown inside other objects, where no entity does it yet. */
export interface Presenting {
  readonly db: Reader;
  readonly git: Git;
  readonly caller: Caller;
  readonly base: Base;
}

export function projectEntities(
  { db, git, caller, base }: Presenting,
  projects: readonly Row[],
): Promise<ShapeOf<typeof EmbeddedProject>[]> {
  const { url, instance } = base;
  const to = { db, git, caller, params: {}, tier: 'ultimate', url, instance } as const;
  return EmbeddedProject.all(projects, {
    ...to,
    get now() {
      return base.now;
    },
  });
}
