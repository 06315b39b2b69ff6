// The parts of a URL, found character by character.
type Part = 'url_host' | 'url_path' | 'url_folder' | 'url_query';

const NO_PARTS: Readonly<Record<Part, string | null>> = {
  url_host: null,
  url_path: null,
  url_folder: null,
  url_query: null,
};

const firstOf = (text: string, marks: string): number => {
  const index = [...text].findIndex((character) => marks.includes(character));
  return index === -1 ? text.length : [...text].slice(0, index).join('').length;
};

const isScheme = (text: string): boolean =>
  text === '' || (/^[A-Za-z]/.test(text) && [...text].every((character) => /[A-Za-z0-9+.-]/.test(character)));

/** The text between `//` and the path. Null if the URL has no host. */
function authorityOf(url: string): { readonly authority: string; readonly rest: string } | null {
  const index = url.indexOf('//');
  const before = url.slice(0, Math.max(index, 0));
  const hasColon = before.endsWith(':');
  if (index === -1 || (before !== '' && !hasColon) || !isScheme(before.slice(0, -1)) || before === ':')
    return null;
  const after = url.slice(index + 2);
  const end = firstOf(after, '/?#');
  return { authority: after.slice(0, end), rest: after.slice(end) };
}

export function hostOf(url: string | null): string | null {
  const { authority = '' } = url === null ? {} : (authorityOf(url) ?? {});
  return authority.slice(authority.lastIndexOf('@') + 1) || null;
}

export function urlParts(url: string | null): Readonly<Record<Part, string | null>> {
  if (url === null) return NO_PARTS;
  const rest = authorityOf(url)?.rest ?? url;
  const path = rest.slice(0, firstOf(rest, '?#')) || '/';
  const second = path.startsWith('/') ? path.indexOf('/', 1) : -1;
  const beforeHash = url.slice(0, firstOf(url, '#'));
  const query = beforeHash.indexOf('?');
  return {
    url_host: hostOf(url),
    url_path: path,
    url_folder: second === -1 ? '/' : path.slice(0, second + 1),
    url_query: (query === -1 ? '' : beforeHash.slice(query + 1)) || null,
  };
}
