// Owns the question before a goal is removed, and the removal: of the goal that the question showed.
import type { AdminAnswer } from '../../host-shim/extension-api';
import type { FieldFault } from '../storage/field-faults';
import { type Goal, markOfGoal } from '../storage/goals/goal-schema';
import { removeGoal } from '../storage/goals/save-goal';
import { conditionInWords } from './goal-words';
import { unlessChanged } from './present-values';
import { addressOf, conversionsShown, type OnSite } from './site-goals';

const CHANGED =
  'Somebody else changed this goal meanwhile: nothing was removed. Below it stands as it is stored.';

/** Asks, and removes the goal that the question showed: no other one of its number. */
export async function removeGoalPage(onSite: OnSite, shown: Goal): Promise<AdminAnswer> {
  const { analytics, request, site } = onSite;
  const page = async (goal: Goal, status: number, fault?: string): Promise<AdminAnswer> => ({
    kind: 'page',
    status,
    title: `Remove goal ${goal.id} of ${site.name}?`,
    view: 'extension/admin/views/goal-remove',
    data: {
      goal,
      mark: markOfGoal(goal),
      words: conditionInWords(goal),
      conversions: (await conversionsShown(onSite))(goal),
      address: addressOf(site),
      fault,
    },
  });
  if (request.method === 'GET') return page(shown, 200);
  const mark = request.form.get('mark') ?? undefined;
  const removed = await unlessChanged<readonly FieldFault[], Goal>(
    removeGoal(analytics.host.database.write, site.trackingId, shown.id, mark),
  );
  if (removed.kind === 'changed') return page(removed.stored, 409, CHANGED);
  const [fault] = removed.answer;
  if (fault !== undefined) return page(shown, 400, fault.message);
  return { kind: 'redirect', to: addressOf(site), notice: `Goal ${shown.id} was removed.` };
}
