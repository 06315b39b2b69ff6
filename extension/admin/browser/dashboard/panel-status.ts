// One sentence on how far the dashboard is, for those who listen to it: panels with their states -> words.

export interface PanelState {
  readonly title: string;
  /** loading, shown or failed. */
  readonly state: string;
}

/** "7 of 8 panels are loaded. Countries failed." */
export function statusOf(panels: readonly PanelState[]): string {
  const loaded = panels.filter(({ state }) => state === 'shown').length;
  const failed = panels.filter(({ state }) => state === 'failed').map(({ title }) => title);
  const told = `${loaded} of ${panels.length} ${panels.length === 1 ? 'panel' : 'panels'} loaded.`;
  return failed.length === 0 ? told : `${told} Failed: ${failed.join(', ')}.`;
}
