import { mayInProject } from '../../../access/abilities.ts';
import { canSeeProject, findProject } from '../../../access/projects.ts';
import type { Reader } from '../../../database/database.ts';
import { type AccessCall, access } from '../../../http/access/access.ts';
import { givenToken, limitRunner } from '../../../http/access/job-access.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { text } from '../../../http/parameters/texts.ts';
import { integer } from '../../../http/parameters/types.ts';
import { forbidden, unauthorized } from '../../../http/refusals/refusal.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { findJobToken, jobUser } from '../../../identity/job-tokens.ts';
import { digestToken } from '../../../secrets/tokens.ts';

const OF_FILES = { id: required(integer), token: optional(text) };

/**
 * Any running job, by its token, whose user may read the jobs of the project that the job `:id` is of (contract/runners.md
 * §3.7). For endpoints of the order `ownProof`.
 */
export function byReadersToken() {
  return access<{ readonly jobId: number }, typeof OF_FILES>({
    who: 'key',
    label: "job token, any reader's",
    params: OF_FILES,
    admit: () => {},
    async find(call) {
      const { rooms, db, params, request } = call as AccessCall<{ id: number; token?: string }>;
      const token = givenToken(request, params.token);
      const asking = token === null ? null : await findJobToken(db, digestToken(token));
      if (asking === null) throw unauthorized();
      await limitRunner(rooms, 'runner_jobs_endpoints_api_limit', asking.job.id);
      const projectId = await projectOfJob(db, params.id);
      const caller = { ...NOBODY, user: jobUser(asking.user) };
      const project = projectId === null ? null : await findProject(db, caller, String(projectId));
      const may = project && canSeeProject(caller, project) && mayInProject(caller, 'read_pipeline', project);
      if (!may) throw forbidden();
      return { jobId: params.id };
    },
    allow: () => {},
  });
}

/** index: jobs primary key */
async function projectOfJob(db: Reader, jobId: number): Promise<number | null> {
  const row = await db.selectFrom('jobs').select('project_id').where('id', '=', jobId).executeTakeFirst();
  return row?.project_id ?? null;
}
