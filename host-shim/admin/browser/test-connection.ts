// The session cookie is sent only so that the server reports addresses; it grants no access.

interface Report {
  readonly header: { readonly arrived: boolean; readonly scheme: string | null };
  readonly connection: {
    readonly protocol: string;
    readonly host: string;
    readonly address: string | null;
    readonly peer: string | null;
    readonly forwarded: readonly string[];
    readonly proxyTrusted: boolean;
    readonly credentialsAccepted: boolean;
  };
  readonly outcome: 'accepted' | 'refused' | 'nothing-sent';
  readonly user: { readonly login: string; readonly sites: 'all' | readonly string[] } | null;
  readonly applicationPassword: string | null;
  readonly message: string;
}

function basicHeader(login: string, secret: string): string {
  const bytes = new TextEncoder().encode(`${login}:${secret}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');

function pairsOf({ header, connection, user, applicationPassword }: Report): [string, string][] {
  const pairs: [string, string][] = [
    [
      'Authorization header',
      header.arrived ? `arrived, scheme ${header.scheme ?? 'none'}` : 'did not arrive',
    ],
    ['Connection', `${connection.protocol}, to ${connection.host}`],
    ['Your address', connection.address ?? 'unknown'],
    ['Proxy headers', connection.forwarded.join(', ') || 'none'],
    ['Application passwords accepted', yesOrNo(connection.credentialsAccepted)],
  ];
  if (connection.forwarded.length > 0)
    pairs.splice(4, 0, [
      'Proxy headers trusted',
      yesOrNo(connection.proxyTrusted) + (connection.peer === null ? '' : `; sent by ${connection.peer}`),
    ]);
  if (user !== null) {
    const sites = user.sites === 'all' ? 'all' : user.sites.join(', ');
    pairs.push(['User', user.login], ['Sites', sites || 'none']);
  }
  if (applicationPassword !== null) pairs.push(['Application password', applicationPassword]);
  return pairs;
}

function show(section: HTMLElement, outcome: string, message: string, pairs: [string, string][]): void {
  const sentence = section.querySelector('[data-message]');
  const list = section.querySelector('[data-pairs]');
  if (sentence === null || list === null) return;
  section.hidden = false;
  sentence.className = outcome === 'accepted' ? 'notice' : outcome === 'refused' ? 'fault' : 'warning';
  sentence.textContent = message;
  list.replaceChildren(
    ...pairs.flatMap(([title, text]) => {
      const term = document.createElement('dt');
      term.textContent = title;
      const description = document.createElement('dd');
      description.textContent = text;
      return [term, description];
    }),
  );
  section.querySelector('h2')?.focus();
}

async function send(form: HTMLFormElement, section: HTMLElement): Promise<void> {
  const typed = new FormData(form);
  const login = String(typed.get('login') ?? '');
  const secret = String(typed.get('secret') ?? '');
  try {
    const response = await fetch(form.dataset.testConnection ?? '', {
      credentials: 'same-origin',
      cache: 'no-store',
      headers: secret === '' ? {} : { Authorization: basicHeader(login, secret) },
    });
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
    const report: Report = await response.json();
    show(section, report.outcome, report.message, pairsOf(report));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    show(section, 'refused', `The request failed: ${reason}.`, []);
  }
}

const form = document.querySelector<HTMLFormElement>('form[data-test-connection]');
const section = document.querySelector<HTMLElement>('[data-answer]');
const button = form?.querySelector('button');
if (form && section && button) {
  button.disabled = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    void send(form, section).finally(() => {
      button.disabled = false;
    });
  });
}
