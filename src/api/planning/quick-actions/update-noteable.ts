import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Thing } from '#http/access/noteables.ts';
import type { RefServices } from '#repositories/services.ts';
import type { Failure } from '#runtime/failure.ts';
import type { Subject, Wish } from './subject.ts';

/** A kind of things as comments command them: each family changes its own, by the verb of PUT. */
export interface CommandedKind<Of extends Thing = Thing> {
  /** Runs an act in which the thing can be changed; `reopens`: perhaps into what is open. */
  runUnitOfWork<T>(
    services: RefServices,
    caller: SignedInCaller,
    thing: Of,
    how: { readonly reopens: boolean; readonly turn: readonly string[] },
    work: (uow: UnitOfWork<SignedInCaller>, change: (wish: Wish) => Promise<unknown | Failure>) => Promise<T>,
  ): Promise<T>;
  /** Null: it is gone. */
  subject(uow: UnitOfWork<SignedInCaller>, caller: SignedInCaller, thing: Of): Promise<Subject | null>;
}
