import type { SiteCopy } from './refresh-site';

export class SiteCopies extends Map<number, SiteCopy> {
  #list: readonly SiteCopy[] | undefined;

  /** Returns the same array until something changes. */
  list(): readonly SiteCopy[] {
    this.#list ??= [...this.values()];
    return this.#list;
  }

  override set(siteId: number, copy: SiteCopy): this {
    this.#list = undefined;
    return super.set(siteId, copy);
  }

  override delete(siteId: number): boolean {
    this.#list = undefined;
    return super.delete(siteId);
  }

  override clear(): void {
    this.#list = undefined;
    super.clear();
  }
}
