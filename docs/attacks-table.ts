import { ATTACKS } from '../tests/security/attacks';

const BEGIN = '<!-- generated from tests/security/attacks.yaml -->\n';
const END = '<!-- end -->';

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Returns docs/security.md with updated tables of attacks. Throws if it has no markers for them. */
export function withAttacks(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`docs/security.md has no ${BEGIN}...${END} for the attacks`);
  const tables = [...new Set(ATTACKS.map(({ area }) => area))].map((area) => {
    const rows = ATTACKS.filter((attack) => attack.area === area);
    const lines = rows.map(({ attack, happens }) => `| ${cell(attack)} | ${cell(happens)} |`);
    return ['', `### ${area}`, '', '| attack | what happens |', '|---|---|', ...lines, ''].join('\n');
  });
  return `${page.slice(0, begin + BEGIN.length)}${tables.join('')}\n${page.slice(end)}`;
}
