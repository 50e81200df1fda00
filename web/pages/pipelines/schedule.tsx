import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { can, type ProjectAbilities, projectQueries } from '../../components/project-navigation.tsx';
import { ScheduleForm, shortenRef } from '../../components/schedule-form.tsx';
import { ScheduleVariables } from '../../components/schedule-variables.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type PipelineRow = ResultOf<'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines'>[number];
type ScheduleDetail = ResultOf<'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id'>;

/** A schedule: its times, owner and variables, and its last pipelines. */
export const schedule = page('schedule', {
  queries: ({ values: { project: id = '', pipeline_schedule_id: number } }) => {
    const schedule = { id, pipeline_schedule_id: Number(number) };
    return {
      ...projectQueries(id),
      schedule: query('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id', schedule, 10),
      pipelines: query(
        'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
        { ...schedule, sort: 'desc' },
        10,
      ),
    };
  },
  title: ({ schedule }) => schedule.value.description,
  navigation: (props) => <PipelinesNavigation {...props} current="schedules" />,
  render: ({ project: { value: project }, abilities, schedule: { value: schedule }, pipelines, location }) => {
    const target = { id: project.id, pipeline_schedule_id: schedule.id };
    const isOwn = schedule.owner !== null && schedule.owner.id === location.session.userId;
    return (
      <>
        <Facts schedule={schedule} />
        <Actions target={target} schedule={schedule} isOwn={isOwn} abilities={abilities} location={location} />
        {schedule.variables === undefined ? null : (
          <ScheduleVariables target={target} variables={schedule.variables} mayEdit={isOwn} location={location} />
        )}
        <h2>Pipelines</h2>
        {pipelines.value.length === 0 ? (
          <p class="quiet">The schedule has not run.</p>
        ) : (
          <PipelineRows pipelines={pipelines.value} />
        )}
      </>
    );
  },
});

function PipelineRows({ pipelines }: { readonly pipelines: readonly PipelineRow[] }) {
  return (
    <ul class="rows">
      {pipelines.map(({ id, status, sha, created_at, web_url }) => (
        <li key={id} class="row">
          <div class="row-status">
            <Status status={status} />
          </div>
          <div class="row-main">
            <a class="row-title" href={web_url}>
              #{id}
            </a>{' '}
            <code class="quiet">{sha.slice(0, 8)}</code>
          </div>
          <span class="row-facts quiet">
            <Time value={created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Facts({ schedule }: { readonly schedule: ScheduleDetail }) {
  const { ref, cron, cron_timezone, active, next_run_at, owner } = schedule;
  return (
    <p class="job-facts">
      <span>
        <code>{cron}</code> {cron_timezone}
      </span>
      <span>
        on <bdi>{shortenRef(ref)}</bdi>
      </span>
      <span>as {owner === null ? 'nobody: its owner was deleted' : <UserLink user={owner} />}</span>
      {active ? (
        <span>
          next <Time value={next_run_at} />
        </span>
      ) : (
        <span class="badge">inactive</span>
      )}
    </p>
  );
}

function Actions({
  target,
  schedule,
  isOwn,
  abilities,
  location,
}: {
  readonly target: { readonly id: number; readonly pipeline_schedule_id: number };
  readonly schedule: ScheduleDetail;
  readonly isOwn: boolean;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const mayAdminister = can(abilities, 'admin_pipeline');
  const remove = async () => {
    await client.call('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id', target);
    openUrl(location.toUrl(toPath('schedules', location.values)));
  };
  const buttons = (
    <>
      {can(abilities, 'update_pipeline') ? (
        <ActionButton
          run={() => client.call('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/play', target)}
          done="A pipeline starts in a moment."
          location={location}
        >
          Run now
        </ActionButton>
      ) : null}
      {mayAdminister && !isOwn ? (
        <ActionButton
          run={() => client.call('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership', target)}
          confirm={{
            title: 'Take ownership of the schedule?',
            text: 'Its next pipelines run as you, and you can change it.',
            label: 'Take ownership',
          }}
          done="The schedule is yours."
          location={location}
        >
          Take ownership
        </ActionButton>
      ) : null}
      {mayAdminister || isOwn ? (
        <ActionButton
          run={remove}
          confirm={{
            title: 'Delete the schedule?',
            text: 'It is deleted with its variables. Its pipelines stay.',
            label: 'Delete the schedule',
          }}
          location={location}
        >
          Delete
        </ActionButton>
      ) : null}
    </>
  );
  if (!isOwn) return <div class="actions">{buttons}</div>;
  return (
    <ToggledForm button="Edit" actions={buttons}>
      {(close) => (
        <ScheduleForm project={target.id} schedule={schedule} defaultRef="" close={close} location={location} />
      )}
    </ToggledForm>
  );
}
