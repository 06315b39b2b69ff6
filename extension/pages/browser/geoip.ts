import { send } from './imports/send-file';
import { showFailure } from './imports/show-report';
import { byId, element } from './shared/elements';

const form = document.getElementById('geoip');
const outcome = form === null ? null : byId('outcome', HTMLElement);

async function upload(
  place: HTMLElement,
  { route = '', page = '' }: DOMStringMap,
  file: File,
): Promise<void> {
  const bar = element('progress', [], '', { 'aria-label': 'Upload progress' });
  place.hidden = false;
  place.replaceChildren(bar);
  try {
    await send(route, file, (share) => {
      bar.value = share;
    }).answer;
    location.assign(page);
  } catch (error) {
    showFailure(place, error);
  }
}

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const file = form instanceof HTMLFormElement ? new FormData(form).get('file') : null;
  if (file instanceof File && outcome !== null) void upload(outcome, form.dataset, file);
});
