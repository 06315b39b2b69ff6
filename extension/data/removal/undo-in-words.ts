// Sentences for commands and pages about what undoing an import changes.
import { countOf, formatCount } from '../../../host-shim/extension-api';
import type { UndoCounts, UndoReport } from './undo-import';

const rows = (count: number): string => countOf(count, 'row');

/** Describes what undoing would change, in sentences. */
export function undoQuestion({ material, removed, restored, attached, gone }: UndoCounts): readonly string[] {
  const changes = [
    ...(removed > 0 ? [`removes ${rows(removed)} of ${material}`] : []),
    ...(restored > 0
      ? [`restores the earlier values of ${rows(restored)}${removed > 0 ? '' : ` of ${material}`}`]
      : []),
  ];
  return [
    `Undoing ${changes.join(' and ') || `changes no rows of ${material}`}.`,
    ...(attached > 0
      ? [
          `Clicks and events on the removed page views (${formatCount(attached)}) are removed with them, or move to an earlier view of the same visit or visitor.`,
        ]
      : []),
    ...goneBefore(gone),
  ];
}

/** Describes what undoing changed, in sentences. */
export function undoResult({ importId, removed, restored, gone }: UndoReport): readonly string[] {
  const counted = Object.entries(removed).map(([material, count]) => `${formatCount(count)} ${material}`);
  return [
    `Import ${importId} is undone. Removed: ${counted.join(', ') || 'none'}. Restored: ${rows(restored)}.`,
    ...goneBefore(gone),
  ];
}

const goneBefore = (gone: number): readonly string[] =>
  gone > 0 ? [`Removed earlier: ${rows(gone)} that the import had added.`] : [];
