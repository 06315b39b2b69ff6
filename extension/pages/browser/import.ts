import { rejectedRowsLink } from './imports/show-report';
import { byId } from './shared/elements';
import { fetchRest, messageOf } from './shared/rest';
import { isObject } from './shared/rest-answer';

async function addLink(place: HTMLElement): Promise<void> {
  const { rejected_rows: rows } = await fetchRest(place.dataset.route ?? '');
  if (Array.isArray(rows)) place.replaceChildren(rejectedRowsLink(rows.filter(isObject)));
}

const place = byId('rejected-file', HTMLElement);
addLink(place).catch((error: unknown) => {
  place.textContent = messageOf(error);
});
