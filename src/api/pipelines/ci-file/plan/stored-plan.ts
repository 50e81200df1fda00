import { configError } from '../keywords/checks.ts';
import type { EffortBudget } from '../yaml/effort-budget.ts';
import { fileTooLarge } from '../yaml/values.ts';
import type { PipelinePlan, PlannedJob } from './plan.ts';

/** A plan in the form that is stored: jobs refer to the parts of their options, and equal parts are stored once. */
export interface StoredPlan extends Pick<PipelinePlan, 'name'> {
  readonly jobs: readonly StoredJob[];
  readonly parts: readonly OptionPart[];
}

export interface StoredJob extends Omit<PlannedJob, 'options'> {
  /** Indexes of parts, which together are the job's `JobOptions`. */
  readonly parts: readonly number[];
}

export interface OptionPart {
  /** The option that the part is the value of; null: an object of several options. */
  readonly name: string | null;
  /** JSON. */
  readonly value: string;
}

/** Limits in characters of JSON. */
const MAX_OPTIONS_OF_JOB = 256 * 1024;
const MAX_OPTIONS_OF_PIPELINE = 16 * 1024 * 1024;

/** An option of this length is a part of its own, because jobs may share it. */
const OWN_PART_LENGTH = 512;

/** Splits the options of all jobs into parts. Throws a CiFileError if the options of a job or of the pipeline are too long. */
export function toStoredPlan({ name, jobs }: PipelinePlan, effort: EffortBudget): StoredPlan {
  const parts = new PartList(effort);
  return { name, jobs: jobs.map((job) => toStoredJob(job, parts)), parts: parts.list };
}

function toStoredJob({ options, ...job }: PlannedJob, parts: PartList): StoredJob {
  const smallOptions: Record<string, unknown> = {};
  const indexes: number[] = [];
  let length = 0;
  for (const [key, value] of Object.entries(options)) {
    const valueLength = estimateJsonLength(value);
    length += valueLength;
    if (length > MAX_OPTIONS_OF_JOB) {
      throw configError(`jobs:${job.name}`, `options are too long (maximum is ${MAX_OPTIONS_OF_JOB} characters)`);
    }
    if (valueLength < OWN_PART_LENGTH) smallOptions[key] = value;
    else indexes.push(parts.addValue(key, value as object | string));
  }
  indexes.push(parts.add(null, JSON.stringify(smallOptions)));
  return { ...job, parts: indexes };
}

class PartList {
  readonly list: OptionPart[] = [];
  readonly #effort: EffortBudget;
  readonly #indexesByKey = new Map<string, number>();
  /** Indexes by value, so that a value that jobs share is converted to JSON once. */
  readonly #indexesByValue = new Map<unknown, number>();
  #characters = 0;

  constructor(effort: EffortBudget) {
    this.#effort = effort;
  }

  addValue(name: string, value: object | string): number {
    const cachedIndex = this.#indexesByValue.get(value);
    if (cachedIndex !== undefined && this.list[cachedIndex]!.name === name) return cachedIndex;
    const index = this.add(name, JSON.stringify(value));
    this.#indexesByValue.set(value, index);
    return index;
  }

  add(name: string | null, value: string): number {
    this.#effort.spendCharacters(value.length);
    const key = `${name ?? ''} ${value}`;
    const cachedIndex = this.#indexesByKey.get(key);
    if (cachedIndex !== undefined) return cachedIndex;
    this.#characters += value.length;
    if (this.#characters > MAX_OPTIONS_OF_PIPELINE) throw fileTooLarge();
    this.#indexesByKey.set(key, this.list.length);
    return this.list.push({ name, value }) - 1;
  }
}

/** Estimates the length of a value's JSON without writing it. Stops soon after the limit of a job. */
function estimateJsonLength(value: unknown): number {
  let length = 0;
  const addLength = (nestedValue: unknown): void => {
    if (length > MAX_OPTIONS_OF_JOB) return;
    if (typeof nestedValue === 'string') length += nestedValue.length + 3;
    else if (typeof nestedValue !== 'object' || nestedValue === null) length += 6;
    else if (Array.isArray(nestedValue)) {
      length += 2;
      for (const item of nestedValue) addLength(item);
    } else {
      length += 2;
      for (const key in nestedValue) {
        length += key.length + 4;
        addLength((nestedValue as Record<string, unknown>)[key]);
      }
    }
  };
  addLength(value);
  return length;
}
