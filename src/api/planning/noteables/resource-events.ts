import { Type } from 'typebox';
import { type columnOf, type ResourceType, resourceOfRow } from '#activity/index.ts';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { referElsewhere } from '#database/batch-statements.ts';
import type { Reader } from '#database/database.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

/** What the steps of every history show alike (contract/planning.md §1 "StateEvent", "MilestoneEvent"). */
export const stepperFields = {
  id: Type.Integer(),
  /** Null once the account is gone. */
  user: nullable(UserBasic.schema),
  created_at: dateTime,
};

/** And of things of any kind. */
export const stepFields = {
  ...stepperFields,
  resource_type: Type.String(),
  /** The global id. */
  resource_id: Type.Integer(),
};

interface Stepper {
  readonly id: number;
  readonly user_id: number | null;
  readonly created_at: string;
}

type StepRow = Stepper & { readonly [Name in ReturnType<typeof columnOf<ResourceType>>]?: number | null };

type Users = Awaited<ReturnType<typeof usersById>>;

/** Who took these steps. */
export function stepUsers(db: Reader, rows: readonly Stepper[]): Promise<Users> {
  return usersById(
    db,
    rows.map(({ user_id }) => user_id),
  );
}

/** Who took it and when. */
export function shownStepper({ id, user_id, created_at }: Stepper, to: SerializationContext, users: Users) {
  const user = users.get(user_id ?? 0);
  return { id, user: user === undefined ? null : UserBasic.serialize(user, to), created_at };
}

/** The shape of `stepFields`. */
export function shownStep(row: StepRow, to: SerializationContext, users: Users) {
  const { type, id } = resourceOfRow(row);
  return {
    ...shownStepper(row, to, users),
    resource_type: type,
    resource_id: id,
  };
}

/** The steps of a history outlive who took them, whoever they are of. */
export const stepsOutliveUsers = (
  table: 'resource_state_events' | 'resource_milestone_events' | 'resource_label_events' | 'resource_weight_events',
) =>
  subscription({
    event: 'user-deleted',
    inBatches: (uow, { userId }) =>
      pieceOf(() => referElsewhere(uow, { table, column: 'user_id' }, { from: userId, to: null, most: PIECE })),
  });
