import type { ChannelRule } from '../manifests/reader/channels';
import type { Manifest } from '../manifests/reader/manifest';

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

/** The page that lists the rules for `channel`. */
export function channelsPage({ channels: { written, otherwise, lists } }: Manifest): readonly string[] {
  return [
    `The column ${code('channel')} of page views and goals is the channel of the first rule that matches, and ${otherwise} if none does. All conditions of a rule must match; each matches if any of its values does. The source is ${code('utm_source')} or, without it, ${code('source_domain')}; a host in the list also matches hosts up to two levels below it. The medium is ${code('utm_medium')} and the click id ${code('click_id_name')}. Values must match in full, ignoring the case of ASCII letters; ${code('*')} matches any text, and ${code('@search')} any value in the list of that name.`,
    [
      '| channel | source | medium | click id |',
      '|---|---|---|---|',
      ...written.map(
        ({ channel, source, medium, click_id }) =>
          `| ${[channel, ...[source, medium, click_id].map(conditionText)].join(' | ')} |`,
      ),
    ].join('\n'),
    ...Object.entries(lists).flatMap(([name, texts]) => [`## @${name}`, texts.map(code).join(', ')]),
  ];
}

const conditionText = (texts: ChannelRule['source']): string =>
  (texts ?? []).map((text) => (text === null ? 'none' : code(text))).join(', ');
