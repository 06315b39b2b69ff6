/** Places a panel in the top layer below its button and inside the window. */
export function placeBelow(opener: HTMLElement, panel: HTMLElement): void {
  const { left, bottom } = opener.getBoundingClientRect();
  const maxLeft = document.documentElement.clientWidth - panel.offsetWidth - 8;
  panel.style.top = `${bottom + scrollY + 4}px`;
  panel.style.left = `${Math.max(0, Math.min(left, maxLeft)) + scrollX}px`;
}
