// The fields of the funnel form. Each step has a kind, such as `page is`, `page contains`, `page prefix`, `event` or `goal 3`, and
// every kind except goals has a value. Steps without a kind are left out.
import { siteFault } from '../../data/storage/field-faults';
import type { FormFaults } from '../goal-form';
import { kindWithId } from '../shared-types/filter-kinds';
import type { FunnelStep, FunnelsHead } from '../shared-types/report-types';
import { MAX_STEPS, MIN_STEPS, PAGE_OPS } from './funnel-step';
import { type Funnel, funnelFields } from './saved-funnels';

interface TypedStep {
  readonly kind: string;
  readonly value: string;
}

export interface TypedFunnel {
  readonly name: string;
  readonly steps: readonly TypedStep[];
  /** Identifies the state of the funnel that was edited. */
  readonly mark?: string | undefined;
}

const NO_STEP: TypedStep = { kind: '', value: '' };

/** Adds empty steps up to the maximum. */
const padded = (steps: readonly TypedStep[]): readonly TypedStep[] =>
  Array.from({ length: MAX_STEPS }, (_unused, at) => steps[at] ?? NO_STEP);

const FIRST_STEP: TypedStep = { kind: 'page is', value: '' };

export const NEW_FUNNEL: TypedFunnel = { name: '', steps: padded([FIRST_STEP, FIRST_STEP]) };

function typedStep(step: FunnelStep): TypedStep {
  if (step.kind === 'goal') return { kind: `goal ${step.goal}`, value: '' };
  return { kind: step.kind === 'page' ? `page ${step.op}` : 'event', value: step.value };
}

export const typedOf = ({ name, steps }: Pick<Funnel, 'name' | 'steps'>): TypedFunnel => ({
  name,
  steps: padded(steps.map(typedStep)),
});

export const readTyped = (form: URLSearchParams): TypedFunnel => ({
  name: form.get('name') ?? '',
  mark: form.get('mark') ?? undefined,
  steps: padded(
    Array.from({ length: MAX_STEPS }, (_unused, at) => ({
      kind: form.get(`kind_${at + 1}`) ?? '',
      value: form.get(`value_${at + 1}`)?.trim() ?? '',
    })).filter(({ kind }) => kind !== ''),
  ),
});

export const stepKinds = (goals: FunnelsHead['goals']) => [
  { value: '', label: 'No step' },
  ...PAGE_OPS.map((op) => ({ value: `page ${op}`, label: `Page ${kindWithId(op).words}` })),
  { value: 'event', label: 'Event' },
  ...goals.map(({ id, name }) => ({ value: `goal ${id}`, label: `Goal: ${name}` })),
];

/** The unvalidated step. */
function stepOf({ kind, value }: TypedStep): object {
  const [first, more = ''] = kind.split(' ');
  if (first === 'goal') return { kind: 'goal', goal: /^\d{1,2}$/.test(more) ? Number(more) : Number.NaN };
  return first === 'page' ? { kind: 'page', op: more, value } : { kind: 'event', value };
}

type ReadFunnel =
  | { readonly kind: 'funnel'; readonly funnel: Pick<Funnel, 'name' | 'steps'> }
  | { readonly kind: 'faults'; readonly faults: FormFaults };

export function readFunnel(typed: TypedFunnel): ReadFunnel {
  const steps = typed.steps.filter(({ kind }) => kind !== '');
  const read = funnelFields.safeParse({ name: typed.name, steps: steps.map(stepOf) }, { error: siteFault });
  if (read.success) return { kind: 'funnel', funnel: read.data };
  const faults = read.error.issues.map(
    ({ path: [field, at], message }) =>
      [typeof at === 'number' ? `value_${at + 1}` : String(field), message] as const,
  );
  const count = `A funnel has ${MIN_STEPS} to ${MAX_STEPS} steps.`;
  return {
    kind: 'faults',
    faults: { ...Object.fromEntries(faults.reverse()), ...(steps.length < MIN_STEPS && { steps: count }) },
  };
}
